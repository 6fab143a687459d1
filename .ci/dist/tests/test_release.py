"""Tests of `.ci/release` that compile nothing: a clone with faults, and packages made from stand-ins."""

import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / ".ci/dist"))

from release import bundle, sizes  # noqa: E402

STAND_IN = {"BRV_RELEASE_REPOSITORY": "https://example.invalid/owner/brv"}
LINUX = "x86_64-unknown-linux-musl"
# a program that answers what the steps ask of it
PROGRAM = """#!/bin/sh
case $1 in
    connectors) mkdir -p "out/$6" && printf '%s' '{"server":{"mcp_config":{}},"user_config":{"program":1},"compatibility":{}}' >"out/$6/manifest.json" ;;
    *) echo brv ;;
esac
"""


class Clone:
    """A clone of this repository as it is now, with a commit."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder) / "brv"
        subprocess.run(["git", "clone", "-q", "--shared", ROOT, self.root], check=True)
        listed = subprocess.run(["git", "ls-files", "-z", "-m", "-o", "--exclude-standard"], cwd=ROOT, capture_output=True)
        for name in listed.stdout.decode().split("\0"):
            if name and (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        self.commit()

    def git(self, *words):
        own = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *own, *words], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "t")

    def edit(self, name, old, new):
        file = self.root / name
        text = file.read_text()
        assert old in text, old
        file.write_text(text.replace(old, new, 1))

    def release(self, *words, **env):
        env = {**{name: value for name, value in os.environ.items() if name not in STAND_IN}, **env}
        env["CARGO_TARGET_DIR"] = str(self.root / "target")
        ran = subprocess.run([self.root / ".ci/release", *words], env=env, capture_output=True, text=True)
        return ran.returncode, ran.stdout, ran.stderr


class Releasing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.clone = Clone(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def refused(self, words, ran):
        code, told, said = ran
        self.assertEqual(code, 1, told + said)
        self.assertIn(words, said)

    def test_nothing_is_released_without_an_address_or_with_a_wrong_one(self):
        self.clone.edit("Cargo.toml", re.search(r"(?m)^repository = .*$", (ROOT / "Cargo.toml").read_text())[0], 'repository = ""')
        code, told, said = self.clone.release("check")
        self.assertEqual((code, told, said.count("\n")), (1, "", 1))
        self.assertIn("set `repository`", said)
        for command in (("build", LINUX), ("pack",), ("cut", "0.1.0")):
            self.refused("set `repository`", self.clone.release(*command))
        for address in ("https://github.com/a/b", "https://example.invalid.org/a/b", "http://127.0.0.1.nip.io/a/b"):
            self.refused("is for tests", self.clone.release("check", BRV_RELEASE_REPOSITORY=address))
        self.refused("is set", self.clone.release("cut", "0.1.0", **STAND_IN))
        self.refused("not published", self.clone.release("publish", "npm", **STAND_IN))
        for address in ("http://host/a/b", "https://host/a", "https://example.org/a/b"):
            self.clone.git("checkout", "-q", "Cargo.toml")
            self.clone.edit("Cargo.toml", 'repository = ""', f'repository = "{address}"')
            self.refused("is not https://HOST/OWNER/NAME", self.clone.release("check"))

    def test_a_commit_that_does_not_fit_is_refused(self):
        check = ("check", "--quick")
        (self.clone.root / "new").write_text("x")
        self.refused("not clean", self.clone.release(*check, **STAND_IN))
        (self.clone.root / "new").unlink()
        self.clone.git("tag", "v9.9.9")
        self.refused("[Unreleased], Cargo.toml has", self.clone.release(*check, **STAND_IN))
        self.clone.edit("CHANGELOG.md", "## [Unreleased]", "## [0.1.0] - 2026-01-01")
        self.clone.commit()
        self.clone.git("tag", "v9.9.9", "-f")
        self.refused("the tag is v9.9.9", self.clone.release(*check, **STAND_IN))
        self.clone.git("tag", "v0.1.0")
        self.refused("two tags", self.clone.release(*check, **STAND_IN))
        self.clone.edit("CHANGELOG.md", "[0.1.0]", "[0.2.0]")
        self.refused("begins with [0.2.0]", self.clone.release(*check, **STAND_IN))
        self.clone.edit("CHANGELOG.md", "## [0.2.0]", "## 0.2.0")
        self.refused("has no `## [VERSION]", self.clone.release(*check, **STAND_IN))

    def test_a_version_that_is_there_or_has_no_changes_is_not_cut(self):
        self.clone.edit("Cargo.toml", 'repository = ""', 'repository = "https://host.test/a/b"')
        self.clone.commit()
        for wanted in ("0.1", "v0.1.0", "01.0.0", "0.0.9"):
            self.assertEqual(self.clone.release("cut", wanted)[0], 1, wanted)
        (self.clone.root / "new").write_text("x")
        self.refused("not clean", self.clone.release("cut", "0.2.0"))
        (self.clone.root / "new").unlink()
        self.assertEqual(self.clone.git("tag") + self.clone.git("status", "--porcelain"), "", "nothing changed")
        self.clone.git("tag", "v0.1.0")
        self.refused("is there already", self.clone.release("cut", "0.1.0"))
        text = (self.clone.root / "CHANGELOG.md").read_text()
        (self.clone.root / "CHANGELOG.md").write_text(text.partition("## [Unreleased]")[0] + "## [Unreleased]\n")
        self.refused("nothing below", self.clone.release("cut", "0.2.0"))

    def test_a_cut_sets_the_version_wherever_it_stands(self):
        write = """import sys; sys.path.insert(0, ".ci/dist"); from release import cut, project
cut.write("9.8.7", (project.ROOT / "CHANGELOG.md").read_text())"""
        ran = subprocess.run([sys.executable, "-B", "-c", write], cwd=self.clone.root, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex((self.clone.root / "CHANGELOG.md").read_text(), r"(?m)\A# Changelog\n[^#]*^## \[9\.8\.7\] - \d{4}")
        manifest = (self.clone.root / "Cargo.toml").read_text()
        self.assertEqual(manifest.count('version = "=9.8.7"'), 6)
        words = ["cargo", "metadata", "--locked", "--format-version", "1"]
        self.assertEqual(subprocess.run(words, cwd=self.clone.root, capture_output=True).returncode, 0)
        found = subprocess.run(["git", "grep", "-lF", "brv 0.1.0", "--", "fixtures/golden", "README.md", "src"], cwd=self.clone.root, capture_output=True)
        self.assertEqual(found.stdout, b"", "no test fails because the version is a new one")

    def test_packages_are_made_of_the_archives_and_equal_each_time(self):
        dist = self.clone.root / "dist"
        dist.mkdir()
        files = {name: (PROGRAM.encode(), True) for name in ("brv", "git-brv")}
        files |= {name: (b"x", False) for name in ("THIRD-PARTY.txt", "LICENSE-MIT", "LICENSE-APACHE", "README.md")}
        label = f"brv-0.1.0-test-{LINUX}"
        (dist / f"{label}.tar.xz").write_bytes(bundle.tar_xz({f"{label}/{name}": one for name, one in files.items()}, 1))
        made = []
        for _ in range(2):
            code, told, said = self.clone.release("pack", **STAND_IN)
            self.assertEqual(code, 0, said)
            made.append({file.name: file.read_bytes() for file in dist.iterdir()})
        self.assertEqual(*made)
        self.assertFalse([name for name, content in made[0].items() if b"@BASE@" in content or b"example.org" in content])
        for line in made[0]["SHA256SUMS"].decode().splitlines():
            own, name = line.split("  ")
            self.assertEqual(own, hashlib.sha256(made[0][name]).hexdigest())
        own = json.loads(tarfile.open(fileobj=io.BytesIO(made[0]["git-brv-0.1.0-test.tgz"])).extractfile("package/package.json").read())
        self.assertEqual(own["optionalDependencies"], {"git-brv-linux-x64": "0.1.0"})
        self.assertNotIn("scripts", own)
        wheel = zipfile.ZipFile(io.BytesIO(next(made[0][name] for name in made[0] if name.endswith(".whl"))))
        self.assertEqual(wheel.getinfo("brv-0.1.0.data/scripts/brv").external_attr >> 16 & 0o777, 0o755)
        self.assertIn("is none of", self.clone.release("build", "x86_64-unknown-redox", **STAND_IN)[2])
        (dist / f"{label}.tar.xz").unlink()
        self.refused("no archive of this version", self.clone.release("pack", **STAND_IN))
        self.assert_documents(made[0])

    def assert_documents(self, made):
        """The registry of MCP takes server.json, where its schema is at hand."""
        server = json.loads(made["server.json"])
        try:
            import jsonschema
            import skillsaw
        except ImportError:
            self.skipTest("skillsaw and jsonschema are not installed")
        folder = pathlib.Path(skillsaw.__file__).parent / "schemas/mcp_registry/v2025_12_11/server.schema.json"
        schema = json.loads(folder.read_text())
        jsonschema.validate(server, schema)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({**server, "name": "no slash"}, schema)

    def test_the_sections_of_a_program_are_read(self):
        found = sizes.sections(pathlib.Path("/proc/self/exe").read_bytes())
        self.assertIn(".text", [name for name, _ in found])


if __name__ == "__main__":
    unittest.main()
