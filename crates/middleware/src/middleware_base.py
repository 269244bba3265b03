"""What a Tollgate middleware in Python returns, and helpers to write one.

The gate provides this module to every middleware. A copy beside the middleware, such as `tollgate middleware init`
writes, is used instead, so unit tests can import the middleware without the gate. Standard library only.
"""
from dataclasses import dataclass, field
from typing import Any, Dict


@dataclass
class MiddlewareResult:
    """The answer of a middleware: its fields can be read as attributes and as keys."""

    decision: str = "continue"  # allow, block, continue, warn, ask
    reason: str = ""
    metrics: Dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, key):
        try:
            return getattr(self, key)
        except AttributeError:
            raise KeyError(key) from None

    def get(self, key, default=None):
        return getattr(self, key, default)

    def __contains__(self, key):
        return hasattr(self, key)


def allow(reason="", **metrics):
    """The call may run, as far as this middleware is concerned."""
    return MiddlewareResult("allow", reason, metrics)


def block(reason, **metrics):
    """The call is refused; the agent is told the reason."""
    return MiddlewareResult("block", reason, metrics)


def ask(reason, **metrics):
    """The person is asked first."""
    return MiddlewareResult("ask", reason, metrics)


def warn(reason, **metrics):
    """The call may run; the agent is told the reason."""
    return MiddlewareResult("warn", reason, metrics)


def proceed(reason="", **metrics):
    """No opinion."""
    return MiddlewareResult("continue", reason, metrics)
