#!/usr/bin/env python3
"""Bash Command Validator - Checks for dangerous patterns."""

import re

DANGEROUS_PATTERNS = [
    (r'\brm\s+-rf\s+/', "rm -rf / (root deletion)"),
    (r'\bdd\s+if=.*of=/dev/', "disk overwrite"),
    (r'\bcurl.*\|\s*bash', "curl pipe to bash"),
]

def validate(tool_input: dict, context: dict | None = None) -> dict:
    command = tool_input.get("command", "")
    for pattern, description in DANGEROUS_PATTERNS:
        if re.search(pattern, command, re.IGNORECASE):
            return {"safe": False, "reason": f"Blocked: {description}"}
    return {"safe": True}

if __name__ == "__main__":
    import json, sys
    print(json.dumps(validate(json.loads(sys.stdin.read()) if not sys.stdin.isatty() else {})))
