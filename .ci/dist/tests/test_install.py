"""Tests of install.sh: every shell of this machine, a server on loopback, an archive with stand-ins as programs."""

import contextlib
import functools
import hashlib
import http.server
import io
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import threading
import unittest

TEMPLATE = pathlib.Path(__file__).parents[1] / "install.sh"
TARGETS = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "aarch64-apple-darwin", "x86_64-apple-darwin"]
SHELLS = [words for words in (["dash"], ["bash", "--posix"], ["busybox", "ash"]) if shutil.which(words[0])]
# what a minimal system has, without the wget and curl of this machine
TOOLS = """sh uname mktemp rm mkdir rmdir mv cp chmod tar xz sed sort cat grep cut dirname sha256sum id env""".split()


def archive(version, folder, label, more=()):
    """An archive of a version: its bytes."""
    said = f"#!/bin/sh\necho brv {version}\n"
    files = {"brv": said, "git-brv": said, "man/man1/brv.1": "page", "man/man1/brv vc.1": "page", "README.md": "x"}
    files |= {f"completions/{name}": "c" for name in ("brv.bash", "_brv", "brv.fish", "brv.ps1")}
    files |= {name: "page" for name in more}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(f"{label}/{name}")
            info.size, info.mode = len(text), 0o755 if "/" not in name else 0o644
            tar.addfile(info, io.BytesIO(text.encode()))
    (folder / f"{label}.tar.xz").write_bytes(packed.getvalue())
    return hashlib.sha256(packed.getvalue()).hexdigest()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Place:
    """A server with the archives of two versions, and an empty home."""

    def __init__(self, root):
        self.root, self.home, self.web = root, root / "home of me", root / "web"
        self.home.mkdir()
        self.web.mkdir()
        serve = functools.partial(Quiet, directory=self.web)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        self.bin = self.home / ".local/bin"
        self.script("1.0.0")

    def script(self, version, more=()):
        """Make the script of a version, whose archive is served."""
        machine = os.uname().machine
        text = TEMPLATE.read_text().replace("@VERSION@", version).replace("@BASE@", self.base)
        text = text.replace("@LABEL@", version)
        for target in TARGETS:
            is_here = target == f"{machine}-unknown-linux-musl"
            label = f"brv-{version}-{target}"
            text = text.replace(f"@SUM:{target}@", archive(version, self.web, label, more) if is_here else "")
        self.text = text
        self.archive = self.web / f"brv-{version}-{machine}-unknown-linux-musl.tar.xz"

    def run(self, shell, *arguments, text=None, path=None, home=True, **more):
        env = {"PATH": path or os.environ["PATH"], "TMPDIR": str(self.root), **more}
        if home:
            env["HOME"] = str(self.home)
        words = [*shell, "-s", *(["--", *arguments] if arguments else [])]
        given = (self.text if text is None else text).encode()
        ran = subprocess.run(words, input=given, env=env, cwd=self.root, capture_output=True, timeout=60)
        return ran.returncode, ran.stdout.decode(), ran.stderr.decode()

    def files(self, below=None):
        return sorted(str(file.relative_to(self.root)) for file in (below or self.home).rglob("*"))


class Installing(unittest.TestCase):
    @contextlib.contextmanager
    def place(self, shell):
        """An empty place for a shell."""
        with self.subTest(shell=shell), tempfile.TemporaryDirectory() as root:
            place = Place(pathlib.Path(root))
            try:
                yield place
                left = [file.name for file in place.root.glob("tmp*")]
                self.assertEqual(left, [], "temporary files are removed")
            finally:
                place.server.shutdown()
                place.server.server_close()

    def refused(self, ran, *words):
        """It failed with one message that has these words."""
        code, _, said = ran
        self.assertEqual(code, 1, ran)
        for word in words:
            self.assertIn(word, said)

    def test_installs_upgrades_and_uninstalls(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                code, told, said = place.run(shell)
                self.assertEqual((code, said), (0, ""), told)
                self.assertIn("installed: brv 1.0.0 in ", told)
                self.assertIn(f'export PATH="{place.bin}:$PATH"', told)
                self.assertEqual((place.bin / "brv").stat().st_mode & 0o777, 0o755)
                share = place.home / ".local/share"
                for file in ("man/man1/brv vc.1", "bash-completion/completions/brv", "zsh/site-functions/_brv"):
                    self.assertTrue((share / file).is_file(), file)
                before = place.files()
                self.assertFalse([file for file in before if "brv-new" in file])
                with open(place.bin / "brv") as running:
                    place.script("2.0.0")
                    code, told, _ = place.run(shell, path=f"{place.bin}:{os.environ['PATH']}")
                    self.assertEqual(code, 0)
                    self.assertIn("brv 2.0.0", told)
                    self.assertNotIn("PATH", told)
                    self.assertIn("1.0.0", running.read(), "a program that runs keeps its file")
                self.assertEqual(place.files(), before)
                (share / "brv/mine").write_text("x")
                self.assertEqual(place.run(shell, "--uninstall")[0], 0)
                left = [file for file in place.home.rglob("*") if file.is_file()]
                self.assertEqual(left, [share / "brv/mine"], "it removes what it installed and nothing else")
                self.refused(place.run(shell, "--uninstall"), "nothing to uninstall")
                self.refused(place.run(shell, "--purge"), "unknown argument --purge")

    def test_what_was_not_released_is_not_installed(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                whole = place.archive.read_bytes()
                flipped = bytes([whole[0], whole[1] ^ 1]) + whole[2:]
                page = b"<html>Please log in</html>"
                other = place.web / "other.tar.xz"
                archive("0.9.0", place.web, "other")
                for content in (flipped, whole[: len(whole) // 2], b"", page, other.read_bytes()):
                    place.archive.write_bytes(content)
                    self.refused(place.run(shell), "wrong checksum")
                    self.assertEqual(place.files(), [])
                place.archive.unlink()
                self.refused(place.run(shell), "cannot download")
                self.refused(place.run(shell, BRV_DOWNLOAD_BASE="http://127.0.0.1:9"), "cannot download")
                for address in ("http://mirror.example.invalid", "http://127.0.0.1.example.invalid", "ftp://x", "file:///"):
                    self.refused(place.run(shell, BRV_DOWNLOAD_BASE=address), "only https is allowed")
                self.assertEqual(place.files(), [])

    def test_an_upgrade_removes_the_pages_of_commands_that_are_gone(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                gone = ["man/man1/brv old.1", "man/man1/brv [x]*.1"]
                place.script("1.0.0", gone)
                self.assertEqual(place.run(shell)[0], 0)
                # programs in another folder, of which it does not know whether somebody uses them
                other = place.root / "other/bin"
                self.assertEqual(place.run(shell, BRV_INSTALL_DIR=str(other))[0], 0)
                share = place.home / ".local/share"
                mine = share / "man/man1/brv mine.1"
                mine.write_text("x")
                listed = share / "brv/installed.txt"
                self.assertTrue(all((share / page).is_file() for page in gone))
                place.script("2.0.0", ["man/man1/brv new.1"])
                for _ in range(2):
                    code, told, said = place.run(shell)
                    self.assertEqual((code, said), (0, ""), told)
                    self.assertFalse([page for page in gone if (share / page).exists()])
                    self.assertTrue(mine.is_file() and (share / "man/man1/brv new.1").is_file())
                    names = listed.read_text().splitlines()
                    self.assertEqual(len(names), len(set(names)))
                    self.assertTrue(all(pathlib.Path(name).is_file() for name in names))
                    self.assertIn(str(other / "git-brv"), names)
                # a version that is not installed in the end removes nothing
                place.script("3.0.0")
                place.archive.write_bytes(b"another")
                before = place.files()
                self.refused(place.run(shell), "wrong checksum")
                self.assertEqual(place.files(), before)
                self.assertEqual(place.run(shell, "--uninstall")[0], 0)
                self.assertEqual([file for file in place.root.rglob("*brv*") if file.is_file() and place.web not in file.parents], [mine])

    def test_half_a_script_does_nothing(self):
        for shell in SHELLS[:1]:
            with self.place(shell) as place:
                text = place.text.rstrip("\n")
                start = text.rindex("{ brv_install")
                for end in [*range(0, start, 97), *range(start, len(text))]:
                    place.run(shell, text=text[:end])
                    self.assertEqual(place.files(), [], text[max(0, end - 40) : end])

    def test_a_mirror_and_both_programs_that_download(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                mirror = place.web / "mirror"
                mirror.mkdir()
                place.archive.rename(mirror / place.archive.name)
                for program in ("curl", "wget"):
                    if not shutil.which(program):
                        continue
                    tools = place.root / f"tools-{program}"
                    tools.mkdir()
                    for name in [*TOOLS, program]:
                        (tools / name).symlink_to(shutil.which(name))
                    words = [shutil.which(shell[0]), *shell[1:]]
                    ran = place.run(words, path=str(tools), BRV_DOWNLOAD_BASE=f"{place.base}/mirror/")
                    self.assertEqual(ran[0], 0, ran)
                    self.assertEqual(place.run(words, "--uninstall")[0], 0)
                (tools / program).unlink()
                self.refused(place.run(words, path=str(tools), BRV_DOWNLOAD_BASE=place.base), "needs curl or wget")

    def test_the_programs_of_others_stay(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                place.bin.mkdir(parents=True)
                for name in ("brv", "git-brv"):
                    theirs = place.bin / name
                    theirs.write_text("#!/bin/sh\necho theirs\n")
                    self.refused(place.run(shell), f"{theirs} is another program")
                    self.assertEqual(theirs.read_text(), "#!/bin/sh\necho theirs\n")
                    theirs.unlink()
                    theirs.symlink_to("/nowhere")
                    self.refused(place.run(shell), "is another program")
                    theirs.unlink()
                self.assertEqual([file for file in place.home.rglob("*") if file.is_file()], [])
                earlier = place.root / "earlier"
                earlier.mkdir()
                (earlier / "brv").write_text("#!/bin/sh\necho neighbour\n")
                (earlier / "brv").chmod(0o755)
                code, _, said = place.run(shell, path=f"{earlier}:{place.bin}:{os.environ['PATH']}")
                self.assertEqual(code, 0)
                self.assertIn(f"warning: your PATH finds {earlier}/brv first", said)

    def test_places(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                real = place.root / "real"
                real.mkdir()
                (place.root / "link to it").symlink_to(real)
                for folder in (place.root / "link to it", place.root / "a  b/c'd\"$x"):
                    code, told, said = place.run(shell, BRV_INSTALL_DIR=str(folder))
                    self.assertEqual((code, said), (0, ""), told)
                    self.assertTrue((folder / "git-brv").is_file())
                self.assertTrue((place.root / "link to it").is_symlink())
                self.assertEqual(place.run(shell, "--uninstall", BRV_INSTALL_DIR=str(real))[0], 0)
                self.assertEqual([file for file in place.home.rglob("*") if file.is_file()], [])
                self.assertEqual(place.run(shell, BRV_INSTALL_DIR="here")[0], 0)
                self.assertTrue((place.root / "here/brv").is_file(), "a relative folder is below the current one")

    def test_without_a_home(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                self.refused(place.run(shell, home=False), "HOME is not set")
                folder = place.root / "opt/bin"
                self.assertEqual(place.run(shell, home=False, BRV_INSTALL_DIR=str(folder))[0], 0)
                self.assertTrue((place.root / "opt/share/man/man1/brv.1").is_file())
                ran = place.run(shell, "--uninstall", home=False, BRV_INSTALL_DIR=str(folder))
                self.assertEqual(ran[0], 0, ran)
                self.assertEqual([file for file in (place.root / "opt").rglob("*") if file.is_file()], [])

    def test_a_machine_without_an_archive(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                tools = place.root / "bin"
                tools.mkdir()
                (tools / "uname").write_text("#!/bin/sh\necho Plan9 mips\n")
                (tools / "uname").chmod(0o755)
                path = f"{tools}:{os.environ['PATH']}"
                self.refused(place.run(shell, path=path), "no archive for Plan9 mips", "cargo install brv --locked")
                # busybox has a command of its own, which it prefers
                self.assertEqual(place.files(), []) if shell[0] != "busybox" else None

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to mount")
    def test_a_full_disk_and_a_folder_that_is_not_writable(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                disk = place.root / "disk"
                for options, words in (("size=4k,nr_inodes=64", "cannot write"), ("ro", "cannot write")):
                    disk.mkdir(exist_ok=True)
                    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", disk], capture_output=True)
                    if mounted.returncode:
                        self.skipTest("cannot mount")
                    try:
                        ran = place.run(shell, BRV_INSTALL_DIR=str(disk / "bin"))
                        self.refused(ran, words)
                        self.assertEqual(place.files(disk) + place.files(), [])
                        if options != "ro":
                            self.refused(place.run(shell, TMPDIR=str(disk)), "")
                            self.assertEqual(place.files(disk) + place.files(), [])
                    finally:
                        subprocess.run(["umount", disk], check=True)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to be somebody else")
    def test_somebody_without_rights(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                place.root.chmod(0o755)
                temporary = place.root / "any"
                temporary.mkdir()
                temporary.chmod(0o777)
                words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *shell]
                self.refused(place.run(words, TMPDIR=str(temporary)), "cannot write", "BRV_INSTALL_DIR")
                self.assertEqual(place.files(), [])


if __name__ == "__main__":
    unittest.main()
