"""Runs a unittest module and prints one TAP line per test, so that meson and scripts/test count each of them."""
import os
import sys
import traceback
import unittest


class TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.number = 0

    def _line(self, verdict, test, note=""):
        self.number += 1
        print(f"{verdict} {self.number} {test._testMethodName.removeprefix('test_')}{note}", flush=True)

    def _failed(self, test, error):
        print("# " + "".join(traceback.format_exception(*error)).replace("\n", "\n# "))
        self._line("not ok", test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._line("ok", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._failed(test, error)

    def addError(self, test, error):
        super().addError(test, error)
        self._failed(test, error)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._line("ok", test, f" # SKIP {reason}")

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._failed(test, error)


def main(module="__main__"):
    """The last statement of a test program; `-v NAME` and the like are left to `python3 -m unittest`."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[module])
    result = TapResult()
    suite.run(result)
    print(f"1..{result.number}")
    sys.stdout.flush()
    os._exit(0 if result.number and result.wasSuccessful() else 1)
