"""The README's examples: they are Python, and what they import exists."""

import ast
import importlib.util
import re
import unittest
from pathlib import Path

from malote.client import Malote


def exists(module, name):
    if hasattr(importlib.import_module(module), name):
        return True
    return importlib.util.find_spec(f"{module}.{name}") is not None


class ReadmeTest(unittest.TestCase):
    def test_examples(self):
        text = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
        blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        self.assertGreater(len(blocks), 10)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
        for block in blocks:
            for node in ast.walk(compile(block, "README.md", "exec", flags)):
                if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] == "malote":
                    for alias in node.names:
                        self.assertTrue(exists(node.module, alias.name), alias.name)
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "client":
                    self.assertTrue(hasattr(Malote, node.attr), node.attr)
        listed = re.findall(r"`((?:get|list|iter|create|update|delete|enable|disable|rotate|replay)_\w+)`", text)
        self.assertGreater(len(listed), 15)
        for name in listed:
            self.assertTrue(hasattr(Malote, name), name)
