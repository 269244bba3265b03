from typing import Dict, Any, List
from dataclasses import dataclass

@dataclass
class MiddlewareResult:
    decision: str  # "allow", "block", "continue"
    reason: str
    metrics: Dict[str, Any]

def process(
    hook_input: Dict[str, Any],
    config: Dict[str, Any],
    previous_results: List[MiddlewareResult],
) -> MiddlewareResult:
    """
    Standard middleware interface.
    
    Args:
        hook_input: The hook event data (tool_name, tool_input, etc.)
        config: Middleware-specific configuration
        previous_results: Results from previous middleware in pipeline
    
    Returns:
        MiddlewareResult with decision, reason, and metrics
    """
    # Your logic here
    return MiddlewareResult(
        decision="allow",  # or "block"
        reason="All checks passed",
        metrics={"checks_run": 3}
    )
