"""A small tree in a temporary folder, in which a test plants a violation for a scripts/check_*.py to find."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Tree(unittest.TestCase):
    check = ""  # name of the script, set by the test class
    options = ()

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="tickpath-planted-")
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, path, content):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def copy(self, path):
        with open(os.path.join(ROOT, path), "rb") as file:
            self.write(path, file.read())

    def findings(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", self.check + ".py"), "--root", self.root, *self.options],
                              capture_output=True, text=True, check=False, timeout=120,
                              env=os.environ | {"TICKPATH_SHARED": os.path.join(self.root, "..", "no-shared-data")} | self.environment())
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(done.returncode == 1, bool(done.stdout), "the exit code says what the output says")
        return done.stdout

    def environment(self):
        return {}

    def assert_clean(self):
        self.assertEqual(self.findings(), "")

    def assert_found(self, text):
        self.assertIn(text, self.findings())
