"""@NAME@: refuses shell commands that contain one of the words in its configuration."""
from middleware_base import allow, block


def process(hook_input, config, previous_results):
    """Called by the gate for every event that the policy registers it for."""
    if hook_input.get("tool_name") != "Bash":
        return allow("not a shell command")
    command = hook_input.get("tool_input", {}).get("command", "")
    for word in config.get("words", []):
        if word in command:
            return block(f"`{word}` is not for agents", word=word)
    return allow(checked=len(config.get("words", [])))
