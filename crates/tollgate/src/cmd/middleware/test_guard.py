"""Runs without the gate: python3 -m unittest"""
import unittest

import @STEM@

CONFIG = {"words": ["production"]}


def bash(command):
    return {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}


class Test(unittest.TestCase):
    def test_blocks_a_word(self):
        result = @STEM@.process(bash("deploy production"), CONFIG, [])
        self.assertEqual((result.decision, result.reason), ("block", "`production` is not for agents"))

    def test_allows_the_rest(self):
        self.assertEqual(@STEM@.process(bash("ls"), CONFIG, []).decision, "allow")

    def test_looks_at_shell_commands_only(self):
        event = {"tool_name": "Read", "tool_input": {"file_path": "production.txt"}}
        self.assertEqual(@STEM@.process(event, CONFIG, []).decision, "allow")


if __name__ == "__main__":
    unittest.main()
