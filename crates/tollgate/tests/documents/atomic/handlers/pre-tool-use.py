#!/usr/bin/env python3
"""PreToolUse Handler - Routes tool validation to atomic validators."""

import json
import os
import sys
from datetime import datetime, UTC
from pathlib import Path

TOOL_VALIDATORS = {
    "Bash": ["security.bash"],
    "Write": ["security.file"],
    "Edit": ["security.file"],
    "Read": ["security.file"],
}

def log_analytics(event: dict) -> None:
    try:
        path = Path(os.getenv("ANALYTICS_PATH", ".agentic/analytics/events.jsonl"))
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as f:
            f.write(json.dumps({"timestamp": datetime.now(UTC).isoformat(), **event}) + "\n")
    except Exception:
        pass

def run_validators(tool_name: str, tool_input: dict, context: dict) -> dict:
    validators_dir = Path(__file__).parent.parent / "validators"
    for validator_name in TOOL_VALIDATORS.get(tool_name, []):
        module_path = validators_dir / (validator_name.replace(".", "/") + ".py")
        if module_path.exists():
            import importlib.util
            spec = importlib.util.spec_from_file_location(validator_name, module_path)
            if spec and spec.loader:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                result = module.validate(tool_input, context)
                if not result.get("safe", True):
                    return result
    return {"safe": True}

def main():
    try:
        event = json.loads(sys.stdin.read()) if not sys.stdin.isatty() else {}
        tool_name = event.get("tool_name", "")
        tool_input = event.get("tool_input", {})
        context = {
            "session_id": event.get("session_id"),
            "tool_use_id": event.get("tool_use_id"),
        }
        
        result = run_validators(tool_name, tool_input, context)
        decision = "block" if not result.get("safe", True) else "allow"
        
        log_analytics({
            "event_type": "hook_decision",
            "handler": "pre-tool-use",
            "tool_name": tool_name,
            "decision": decision,
            "reason": result.get("reason"),
            "tool_use_id": context.get("tool_use_id"),
        })
        
        print(json.dumps({"decision": decision, "reason": result.get("reason")}))
    except Exception as e:
        print(json.dumps({"decision": "allow", "error": str(e)}))

if __name__ == "__main__":
    main()
