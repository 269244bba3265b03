# hooks/lifecycle/pre-tool-use/impl.python.py
#!/usr/bin/env python3
import json
import sys
from pathlib import Path
import importlib.util

def load_middleware(middleware_config):
    """Dynamically load middleware module"""
    path = Path(__file__).parent / middleware_config["path"]
    spec = importlib.util.spec_from_file_location("middleware", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

def main():
    # Load hook configuration
    hook_config = yaml.safe_load(
        Path(__file__).parent / "hook.meta.yaml"
    )
    
    # Read input
    hook_input = json.load(sys.stdin)
    
    # Execute middleware pipeline
    results = []
    for mw_config in hook_config["middleware"]:
        if not mw_config["enabled"]:
            continue
        
        # Load and execute middleware
        module = load_middleware(mw_config)
        result = module.process(
            hook_input=hook_input,
            config=mw_config.get("config", {}),
            previous_results=results
        )
        
        results.append({
            "id": mw_config["id"],
            "type": mw_config["type"],
            "decision": result.decision,
            "reason": result.reason,
            "metrics": result.metrics
        })
        
        # Fail-fast for safety middleware
        if mw_config["type"] == "safety" and result.decision == "block":
            break
    
    # Aggregate decisions
    final_decision = "allow"
    block_reasons = []
    
    for result in results:
        if result["decision"] == "block":
            final_decision = "block"
            block_reasons.append(f"{result['id']}: {result['reason']}")
    
    # Collect metrics
    all_metrics = {}
    for result in results:
        all_metrics[result["id"]] = result["metrics"]
    
    # Output Claude-compatible JSON
    output = {
        "decision": final_decision,
        "reason": "; ".join(block_reasons) if block_reasons else "All checks passed",
        "hookSpecificOutput": {
            "hookEventName": hook_config["event"],
            "metrics": all_metrics
        }
    }
    
    print(json.dumps(output))
    sys.exit(2 if final_decision == "block" else 0)

if __name__ == "__main__":
    main()
