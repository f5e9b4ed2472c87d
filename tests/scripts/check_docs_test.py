"""Planted violations: documents that name commands, tests, benches, files and packages that do not exist."""
import json
import os
import stat

import planted
import tap


class Docs(planted.Tree):
    check = "check_docs"

    def setUp(self):
        super().setUp()
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
            self.write(name, "# Words\n")
        self.write("DECISIONS.md", "libfine-dev: licence MIT\n")
        self.write("scripts/packages.txt", "# group name why\nbuild libfine-dev  reason\n")
        self.write("scripts/demo", "#!/bin/sh\n")
        self.write("out/tickpath", "#!/bin/sh\nprintf 'Usage\\n\\nSubcommands:\\n  run      runs\\n  decode   decodes\\n'\n")
        os.chmod(os.path.join(self.root, "out/tickpath"), stat.S_IRWXU)
        self.write("out/meson-info/intro-tests.json", json.dumps([{"name": "decoders-fast"}]))
        self.write("out/meson-info/intro-targets.json", json.dumps([{"filename": ["/x/bench/ring-hop"]}]))
        self.options = ("--build", os.path.join(self.root, "out"))

    def test_documents_that_tell_the_truth(self):
        self.write("README.md", "```\nscripts/demo\nbuild/tickpath run x.xml\n```\nSee `build/bench/ring-hop --json`, "
                                "`meson test -C build decoders-fast`, `meson test -C build --suite unit`, `scripts/`.\n")
        self.assert_clean()

    def test_a_script_that_is_not_there(self):
        self.write("README.md", "Type\n`scripts/start`\n")
        self.assert_found("README.md:2: docs: scripts/start does not exist")

    def test_a_sub_command_that_is_not_there(self):
        self.write("CONTRIBUTING.md", "```\nbuild/tickpath fly x\n```\n")
        self.assert_found("CONTRIBUTING.md:2: docs: tickpath has no sub-command fly")

    def test_a_bench_that_is_not_there(self):
        self.write("README.md", "`build/bench/moon --json`\n")
        self.assert_found("there is no build/bench/moon")

    def test_a_test_that_is_not_there(self):
        self.write("decoders/fast/README.md", "Try: meson test -C build fast\n")
        self.assert_found("decoders/fast/README.md:1: docs: meson has no test fast")

    def test_a_file_that_is_not_there(self):
        self.write("README.md", "`templates/config/gone.xml`\n")
        self.assert_found("templates/config/gone.xml does not exist")

    def test_a_package_without_a_reason(self):
        self.write("scripts/packages.txt", "tests libodd-dev  reason\n")
        self.assert_found("scripts/packages.txt:1: docs: libodd-dev is not explained")

    def test_a_missing_document(self):
        os.remove(os.path.join(self.root, "CHANGELOG.md"))
        self.assert_found("CHANGELOG.md:1: docs: is missing")


if __name__ == "__main__":
    tap.main()
