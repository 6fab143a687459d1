"""Tests of `.ci/release` that compile nothing: a clone with faults, and packages made from stand-ins."""

import contextlib
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
import types
import unittest
import zipfile
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / ".ci/dist"))

from release import build, bundle, check, notices, sizes, trial  # noqa: E402
from release.project import version  # noqa: E402

STAND_IN = {"BRV_RELEASE_REPOSITORY": "https://example.invalid/owner/brv"}
LINUX = "x86_64-unknown-linux-musl"
# a program that answers what the steps ask of it
PROGRAM = """#!/bin/sh
case $1 in
    connectors) mkdir -p "out/$6" && printf '%s' '{"server":{"mcp_config":{}},"user_config":{"program":1},"compatibility":{}}' >"out/$6/manifest.json" ;;
    *) echo brv ;;
esac
"""
# in place of cargo: what compiles or packs is noted and not done
CARGO = """#!/bin/sh
echo "$@" >>"$NOTED"
case $1 in
    deny) ;;
    publish) ;;
    test) [ -z "$BRV_COMMANDS" ] || echo "{\\"cut\\":\\"$BRV_CUT\\"}" >"$BRV_COMMANDS" ;;
    package)
        mkdir -p "$CARGO_TARGET_DIR/package"
        for name in brv brv-base brv-text brv-git brv-search brv-engine brv-commands; do
            for version in 0.1.0 0.2.0; do : >"$CARGO_TARGET_DIR/package/$name-$version.crate"; done
        done ;;
    build)
        mkdir -p "$CARGO_TARGET_DIR/debug"
        printf '#!/bin/sh\\ncase $2 in --json) %s ;; *) %s ;; esac\\n' \
            'echo "{\\"data\\":{\\"schemas\\":[{\\"schema\\":\\"brv.vc.status/1\\"}]}}"' \
            'echo "{\\"data\\":{\\"name\\":\\"${2%/1}/1\\",\\"document\\":{\\"title\\":\\"$2\\"}}}"' >"$CARGO_TARGET_DIR/debug/brv"
        chmod +x "$CARGO_TARGET_DIR/debug/brv" ;;
    *) exec "$CARGO_OF_TEST" "$@" ;;
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
        self.before_the_first_release()
        self.commit()

    def before_the_first_release(self):
        """No address, the version 0.1.0, nothing frozen or tagged: the tests say the same at every commit."""
        self.rewrite("Cargo.toml", r'(?m)^repository = ".*"$', 'repository = ""')
        self.rewrite("Cargo.toml", r'(?m)^version = ".*"$', 'version = "0.1.0"')
        self.rewrite("Cargo.toml", r'(?m)^(brv-\w+ = .*version = )".*?"', r'\1"=0.1.0"')
        self.rewrite("Cargo.lock", r'(?m)^(name = "brv(-\w+)?"\nversion = ).*$', r'\1"0.1.0"')
        self.rewrite("CHANGELOG.md", r"(?ms)^## .*", "## [Unreleased]\n\nA change.\n")
        shutil.rmtree(self.root / "fixtures/schemas", ignore_errors=True)
        for tag in self.git("tag").split():
            self.git("tag", "-d", tag)

    def rewrite(self, name, pattern, text):
        file = self.root / name
        new, times = re.subn(pattern, text, file.read_text("utf-8"))
        assert times, pattern
        file.write_text(new, "utf-8")

    def git(self, *words):
        own = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *own, *words], cwd=self.root, check=True, capture_output=True, encoding="utf-8").stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "t")

    def edit(self, name, old, new):
        file = self.root / name
        text = file.read_text("utf-8")
        assert old in text, old
        file.write_text(text.replace(old, new, 1), "utf-8")

    def release(self, *words, **env):
        env = {**{name: value for name, value in os.environ.items() if name not in STAND_IN}, **env}
        env["CARGO_TARGET_DIR"] = str(self.root / "target")
        ran = subprocess.run([self.root / ".ci/release", *words], env=env, capture_output=True, encoding="utf-8")
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
        text = (self.clone.root / "CHANGELOG.md").read_text("utf-8")
        (self.clone.root / "CHANGELOG.md").write_text(text.partition("## [Unreleased]")[0] + "## [Unreleased]\n", "utf-8")
        self.refused("nothing below", self.clone.release("cut", "0.2.0"))

    def test_a_cut_sets_the_version_wherever_it_stands(self):
        write = """import sys; sys.path.insert(0, ".ci/dist"); from release import cut, project
cut.write("9.8.7", (project.ROOT / "CHANGELOG.md").read_text("utf-8"))"""
        ran = subprocess.run([sys.executable, "-B", "-c", write], cwd=self.clone.root, capture_output=True, encoding="utf-8")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex((self.clone.root / "CHANGELOG.md").read_text("utf-8"), r"(?m)\A# Changelog\n[^#]*^## \[9\.8\.7\] - \d{4}")
        manifest = (self.clone.root / "Cargo.toml").read_text("utf-8")
        self.assertEqual(manifest.count('version = "=9.8.7"'), 6)
        words = ["cargo", "metadata", "--locked", "--format-version", "1"]
        self.assertEqual(subprocess.run(words, cwd=self.clone.root, capture_output=True).returncode, 0)
        found = subprocess.run(["git", "grep", "-lF", f"brv {version()}", "--", "fixtures/golden", "README.md", "src"], cwd=self.clone.root, capture_output=True)
        self.assertEqual(found.stdout, b"", "no test fails because the version is a new one")

    def test_a_cut_is_one_commit_and_one_tag_or_nothing(self):
        clone = self.clone
        clone.edit("Cargo.toml", 'repository = ""', 'repository = "https://host.test/a/b"')
        (clone.root / ".ci/run").write_text('#!/bin/sh\n. "$RUN"\n', "utf-8")
        clone.commit()
        bin, run, noted = (pathlib.Path(self.folder.name) / name for name in ("bin", "run", "noted"))
        bin.mkdir()
        (bin / "cargo").write_text(CARGO)
        (bin / "cargo").chmod(0o755)
        env = {"RUN": str(run), "NOTED": str(noted), "CARGO_OF_TEST": shutil.which("cargo"), "GIT_CONFIG_GLOBAL": str(bin / "config")}
        env["PATH"] = f"{bin}:{os.environ['PATH']}"

        def cut(wanted, during, config=""):
            run.write_text(during)
            (bin / "config").write_text(f"[user]\nname = t\nemail = t@example.invalid\n{config}")
            return clone.release("cut", wanted, **env)

        def state():
            return [clone.git(*words) for words in (("rev-parse", "HEAD"), ("status", "--porcelain"), ("tag",), ("symbolic-ref", "HEAD"))]

        before = state()
        self.assertEqual(before[1:3], ["", ""])
        signing = "[gpg]\nprogram = false\n"
        for why, words, during, config in (
            ("the tests fail", "`.ci/run` failed", "exit 1", ""),
            ("the commit fails", "`git commit", "exit 0", f"{signing}[commit]\ngpgsign = true\n"),
            ("the tag fails", "`git tag", "exit 0", f"{signing}[tag]\ngpgsign = true\n"),
        ):
            with self.subTest(why):
                self.refused(words, cut("0.2.0", during, config))
                self.assertEqual(state(), before)
                self.assertFalse((clone.root / "fixtures/schemas/0.2.0").exists())
        self.refused("not clean", cut("0.2.0", "echo x >new"))
        self.assertEqual((clone.root / "new").read_text("utf-8"), "x\n", "what somebody made meanwhile stays")
        (clone.root / "new").unlink()
        self.refused("another commit", cut("0.2.0", "git commit -q --allow-empty -m t"))
        clone.git("reset", "-q", before[0].strip())
        noted.unlink()
        code, told, said = cut("0.2.0", "exit 0")
        self.assertEqual(code, 0, said)
        self.assertTrue(told.endswith("\n  git push --atomic origin HEAD v0.2.0\n"), told)
        head, changed, tags, branch = state()
        self.assertEqual((changed, tags, branch), ("", "v0.2.0\n", before[3]))
        self.assertEqual(clone.git("cat-file", "-t", "v0.2.0"), "tag\n", "annotated")
        self.assertEqual(clone.git("rev-list", "--parents", "-1", "v0.2.0"), f"{head.strip()} {before[0]}")
        files = clone.git("diff", "-z", "--name-only", "HEAD~1").rstrip("\0").split("\0")
        frozen = {"brv.vc.status-1": {"title": "brv.vc.status/1"}, "commands": {"cut": "0.2.0"}}
        frozen |= {f"{name}-1": {"title": name} for name in ("curate ops", "dream decisions")}
        folder = "fixtures/schemas/0.2.0"
        self.assertEqual(set(files), {"CHANGELOG.md", "Cargo.lock", "Cargo.toml", *(f"{folder}/{name}.json" for name in frozen)})
        for name, content in frozen.items():
            self.assertEqual(json.loads((clone.root / folder / f"{name}.json").read_text("utf-8")), content)
        self.assertEqual([line.split()[0] for line in noted.read_text("utf-8").splitlines() if line.startswith(("publish", "test", "build"))], ["publish", "test", "build", "test"])
        self.refused("is there already", cut("0.2.0", "exit 0"))
        self.refused("nothing below", cut("0.2.1", "exit 0"))
        # what CONTRIBUTING.md says to do where the workflow stops at `check`
        clone.git("tag", "-d", "v0.2.0")
        clone.git("revert", "--no-edit", "HEAD")
        self.assertEqual(clone.git("rev-parse", "HEAD^{tree}"), clone.git("rev-parse", before[0].strip() + "^{tree}"))
        self.assertEqual(cut("0.2.0", "exit 0")[0], 0)
        self.assertIn("tag         v0.2.0\n", clone.release("check", **env)[1])

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
        self.assertEqual(made[0]["notes.md"], b"A change.\n")
        self.assertNotIn("notes.md", made[0]["SHA256SUMS"].decode())
        self.assertLess(len(re.search(rb'desc "(.*)"', made[0]["brv.rb"])[1]), 80)
        packed = tarfile.open(fileobj=io.BytesIO(made[0]["git-brv-0.1.0-test.tgz"]))
        self.assertIn("package/LICENSE-MIT", packed.getnames())
        own = json.loads(packed.extractfile("package/package.json").read())
        self.assertEqual(own["optionalDependencies"], {"git-brv-linux-x64": "0.1.0"})
        self.assertNotIn("scripts", own)
        wheel = zipfile.ZipFile(io.BytesIO(next(made[0][name] for name in made[0] if name.endswith(".whl"))))
        about = wheel.read("brv-0.1.0.dist-info/METADATA").decode()
        for name in re.findall(r"(?m)^License-File: (.*)$", about):
            wheel.getinfo(f"brv-0.1.0.dist-info/licenses/{name}")
        self.assertIn("\nLicense-File: LICENSE-MIT\n", about)
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
        schema = json.loads(folder.read_text("utf-8"))
        jsonschema.validate(server, schema)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({**server, "name": "no slash"}, schema)

    def test_a_crate_without_a_licence_file_gets_the_text_of_its_repository_or_of_its_authors(self):
        text, bare = notices.third_party(LINUX)
        _, *parts = text.split("=" * 80 + "\n")
        above = {name: part for part in parts for name in part.split("\n")[0].split(", ")}
        for package in notices.crates(LINUX):
            self.assertIn(f"{package['name']} {package['version']}", above)
        self.assertIn("tantivy-common", bare)
        of_tantivy = next(part for name, part in above.items() if name.startswith("tantivy-common "))
        self.assertRegex(of_tantivy, r"(?m)^tantivy \d")
        self.assertRegex(next(part for name, part in above.items() if name.startswith("dua-core ")), "Sebastian Thiel")
        self.assertIn("Rich Felker", above["musl"])
        self.assertNotIn("musl:", notices.third_party("x86_64-pc-windows-msvc")[0])
        unknown = {"name": "x", "version": "1", "license": "MIT", "repository": None, "authors": []}
        self.assertIn("Copyright (c) the authors of x", notices.instead(unknown, None, {})[0])
        with self.assertRaises(notices.Stop):
            notices.instead({**unknown, "license": "GPL-3.0"}, None, {})

    def test_the_list_of_parts_names_what_each_uses(self):
        found = json.loads(notices.components())
        program = found["metadata"]["component"]["bom-ref"]
        known = {part["bom-ref"] for part in found["components"]}
        for one in found["dependencies"]:
            self.assertLessEqual(set(one["dependsOn"]), known)
        reached = set().union(*(one["dependsOn"] for one in found["dependencies"]))
        self.assertEqual((reached, known & {program}), (known, set()))
        self.assertNotIn(str(ROOT), json.dumps(found))

    def test_on_windows_only_what_is_for_windows_is_tried(self):
        tried, skipped = [], []
        without = types.SimpleNamespace(environ=os.environ, pathsep=";", path=os.path)
        for patch in (
            mock.patch.object(trial.sys, "platform", "win32"),
            # without `geteuid`
            mock.patch.object(trial, "os", without),
            mock.patch.object(trial, "here", lambda: "x86_64-pc-windows-msvc"),
            mock.patch.object(trial, "has", lambda _: True),
            mock.patch.object(trial, "each", lambda name, *_: tried.append(name)),
            mock.patch.object(trial, "skip", skipped.append),
            mock.patch("builtins.print"),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        trial.run()
        self.assertIn("install.ps1 with powershell", tried)
        self.assertFalse([name for name in tried if "install.sh" in name or "root" in name])
        self.assertIn("bash", skipped)

    def test_no_file_is_read_or_written_in_the_encoding_of_the_machine(self):
        for file in (ROOT / ".ci/dist/release").glob("*.py"):
            found = re.findall(r"read_text\(\)|text=True|write_text\((?!.*\"utf-8\"\)).*", file.read_text("utf-8"))
            self.assertEqual(found, [], file.name)

    def test_no_archive_has_a_placeholder(self):
        files = {"brv/brv": (b"git.example.org @NAME@ @channel@", True), "brv/README.md": (b"https://host.test/o/brv", False)}
        self.assertIsNone(build.placeholder(files))
        for left in ("@VERSION@", "@SUM:x86_64-apple-darwin@", "https://example.invalid/owner/brv"):
            planted = {**files, "brv/README.md": (f"see {left}.".encode(), False)}
            self.assertRegex(build.placeholder(planted), r" in brv/README\.md$")
        for name in ("README.md", "CHANGELOG.md"):
            self.assertIsNone(build.placeholder({name: ((ROOT / name).read_bytes(), False)}))

    def test_without_what_checks_dependencies_nothing_is_released(self):
        quiet = ("changelog", "tags", "clean", "locked", "crates", "repository", "has", "print")
        with contextlib.ExitStack() as patches:
            for name in quiet:
                patches.enter_context(mock.patch.object(check, name, lambda *_: None, create=True))
            patches.enter_context(mock.patch.object(check, "is_test", lambda: False))
            patches.enter_context(mock.patch.object(check.sizes, "gate", lambda: None))
            check.run("--quick")
            with self.assertRaisesRegex(check.Stop, "cargo-deny is missing"):
                check.run()

    def test_the_tools_of_the_workflow_have_exact_versions(self):
        workflow = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
        self.assertNotRegex(workflow, r"toolchain install (?!\"\$RUST\")")
        self.assertRegex(workflow, r'(?m)^  RUST: "\d+\.\d+\.\d+"$')
        for tool in re.findall(r"cargo install --locked (.*)", workflow):
            self.assertRegex(tool, r"^[\w-]+@\d+\.\d+\.\d+$")
        self.assertRegex(workflow, r"pip install --quiet twine==\d+\.\d+\.\d+\n")

    def test_a_program_is_the_same_whichever_folder_it_is_built_in(self):
        """The smaller program, by the flags of a release; with what tells where its source was, the two would differ."""
        host = re.search(r"host: (.*)", subprocess.run(["rustc", "-vV"], capture_output=True, encoding="utf-8").stdout)[1]
        made = {True: set(), False: set()}
        for name in ("one", "another/folder"):
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder).resolve() / name
                root.mkdir(parents=True)
                source = shutil.copy(ROOT / "src/git_brv.rs", root)
                with mock.patch.object(build, "ROOT", root):
                    env = build.environment(host, root / "target")
                flags = env["CARGO_ENCODED_RUSTFLAGS"].split("\x1f")
                for is_mapped in made:
                    own = [flag for flag in flags if is_mapped or not flag.startswith("--remap")]
                    words = ["rustc", "--edition", "2024", "-g", "-C", "opt-level=s", *own, source, "-o", root / "git-brv"]
                    subprocess.run(words, check=True, capture_output=True, cwd=root, env=env)
                    made[is_mapped].add((root / "git-brv").read_bytes())
        self.assertEqual((len(made[True]), len(made[False])), (1, 2))

    def test_the_sections_of_a_program_are_read(self):
        found = sizes.sections(pathlib.Path("/proc/self/exe").read_bytes())
        self.assertIn(".text", [name for name, _ in found])


if __name__ == "__main__":
    unittest.main()
