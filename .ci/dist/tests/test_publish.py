"""Tests of `.ci/release publish`: a registry on loopback fails at every step, and a rerun completes what is there."""

import http.server
import json
import os
import pathlib
import re
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / ".ci/dist"))

from release import publish  # noqa: E402
from release.project import Stop, members, version  # noqa: E402

# the real one, which the tests replace
URLOPEN = urllib.request.urlopen
FILES = {
    "npm": ["git-brv-linux-arm64", "git-brv-linux-x64", "git-brv"],
    "pypi": ["brv-VERSION-py3-none-linux_x86_64", "brv-VERSION-py3-none-win_amd64"],
}
SERVER = "io.github.owner/brv"


class Registry(http.server.BaseHTTPRequestHandler):
    """All registries in one. It stores each name once, and fails at the step `fails_at`."""

    stored, steps, fails_at, mode, says = [], 0, None, None, None

    def do_GET(self):
        path = urllib.parse.unquote(self.path)
        if path.startswith("/host/identity"):
            return self.step(lambda: {"value": "who"})
        if self.says:
            return self.answer(*self.says)
        found = re.search(rf"/((?:{SERVER}|[\w-]+))(?:/versions)?/{re.escape(version())}$", path)
        self.answer(200 if found and found[1] in Registry.stored else 404, b"{}")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.path.endswith("/auth/github-oidc"):
            return self.step(lambda: {"registry_token": json.loads(body)["oidc_token"] + "-token"})
        if self.path.endswith("/publish") and self.headers["Authorization"] != "Bearer who-token":
            return self.answer(401, b"{}")
        name = json.loads(body)["name"]
        if name in Registry.stored:
            return self.answer(409, b'{"error": "is there"}')
        self.step(lambda: Registry.stored.append(name))

    def step(self, act):
        """Fail as if nothing had happened (`refused`), or after it has (`lost`: there is no answer)."""
        Registry.steps += 1
        fails = Registry.steps - 1 == Registry.fails_at
        if fails and Registry.mode == "refused":
            return self.answer(503, b"busy")
        done = act()
        if fails:
            self.close_connection = True
            return None
        return self.answer(200, json.dumps(done or {}).encode())

    def answer(self, code, body):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Publishing(unittest.TestCase):
    def setUp(self):
        # what is made for a test is never published
        without = mock.patch.dict(os.environ)
        without.start()
        self.addCleanup(without.stop)
        os.environ.pop("BRV_RELEASE_REPOSITORY", None)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.dist = pathlib.Path(folder.name)
        self.called = []
        for name in FILES["npm"]:
            (self.dist / f"{name}-{version()}.tgz").write_text("x")
        # of another version, whose name ends as this one's
        (self.dist / f"git-brv-1{version()}.tgz").write_text("x")
        for name in self.wheels():
            (self.dist / f"{name}.whl").write_text("x")
        (self.dist / "server.json").write_text(json.dumps({"name": SERVER}))
        identity = {
            "ACTIONS_ID_TOKEN_REQUEST_URL": "https://host/identity?v=1",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "t",
        }
        for patch in (
            mock.patch.object(publish, "DIST", self.dist),
            mock.patch.object(publish, "repository", lambda: "https://host.test/owner/brv"),
            mock.patch.object(publish, "call", self.program),
            mock.patch.object(urllib.request, "urlopen", self.open),
            mock.patch.dict(os.environ, identity),
            mock.patch("builtins.print"),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def wheels(self):
        return [name.replace("VERSION", version()) for name in FILES["pypi"]]

    def open(self, request, timeout):
        """Every address leads to the registry on loopback."""
        address = urllib.parse.urlsplit(request.full_url)
        self.assertEqual(address.scheme, "https")
        own = f"{self.base}/{address.netloc}{address.path}"
        return URLOPEN(urllib.request.Request(own, request.data, dict(request.header_items())), timeout=timeout)

    def upload(self, name):
        """Send a name; returns the status of the answer."""
        try:
            body = json.dumps({"name": name}).encode()
            return URLOPEN(urllib.request.Request(f"{self.base}/upload", body), timeout=60).status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def program(self, *words):
        """What cargo, npm and twine do: they fail at a version that is there, twine unless it may skip it."""
        words = [str(word) for word in words]
        self.called.append(words)
        if words[:2] == ["cargo", "publish"]:
            names = [words[words.index("-p") + 1]]
        elif words[:2] == ["npm", "publish"]:
            names = [pathlib.Path(words[2]).name.removesuffix(f"-{version()}.tgz")]
        else:
            self.assertEqual(words[:4], ["python3", "-m", "twine", "upload"])
            names = [pathlib.Path(word).stem for word in words if word.endswith(".whl")]
        for name in names:
            code = self.upload(name)
            if code != 200 and not (code == 409 and "--skip-existing" in words):
                raise Stop(f"{words[0]} failed with {code}")

    def begin(self, fails_at=None, mode=None, says=None):
        Registry.stored, Registry.steps = [], 0
        Registry.fails_at, Registry.mode, Registry.says = fails_at, mode, says

    def test_a_rerun_after_any_failed_step_publishes_each_thing_once(self):
        whole = {"crates": members(), "npm": FILES["npm"], "pypi": self.wheels(), "mcp": [SERVER]}
        for channel, expected in whole.items():
            self.begin()
            publish.run(channel)
            self.assertEqual(Registry.stored, expected, "in this order")
            steps = Registry.steps
            self.assertGreaterEqual(steps, len(expected))
            publish.run(channel)
            self.assertEqual((Registry.stored, Registry.steps), (expected, steps), "nothing is sent twice")
            for fails_at in range(steps):
                for mode in ("refused", "lost"):
                    with self.subTest(channel=channel, fails_at=fails_at, mode=mode):
                        self.begin(fails_at, mode)
                        with self.assertRaises(Stop):
                            publish.run(channel)
                        self.assertEqual(Registry.stored, expected[: len(Registry.stored)])
                        publish.run(channel)
                        self.assertEqual(Registry.stored, expected)

    def test_only_a_clear_no_means_that_something_is_not_there(self):
        for says in ((500, b"{}"), (403, b"{}"), (200, b"<html>Please log in</html>")):
            for channel in ("crates", "npm", "mcp"):
                self.begin(says=says)
                with self.assertRaises(Stop):
                    publish.run(channel)
                self.assertEqual((Registry.stored, Registry.steps), ([], 0), "nothing is sent")

    def test_a_folder_without_packages_is_no_success(self):
        for file in self.dist.iterdir():
            if file.suffix in (".tgz", ".whl"):
                file.unlink()
        for channel in ("npm", "pypi"):
            self.begin()
            with self.assertRaisesRegex(Stop, "run `.ci/release pack`"):
                publish.run(channel)

    def test_only_the_workflow_says_where_a_package_of_npm_was_made(self):
        self.begin()
        publish.run("npm")
        self.assertTrue(all("--provenance" in words for words in self.called))
        self.called.clear()
        self.begin()
        with mock.patch.dict(os.environ):
            del os.environ["ACTIONS_ID_TOKEN_REQUEST_URL"]
            publish.run("npm")
        self.assertEqual((len(self.called), "--provenance" in str(self.called)), (3, False))

    def test_without_the_identity_of_the_workflow_nothing_is_sent(self):
        self.begin()
        with mock.patch.dict(os.environ), self.assertRaisesRegex(Stop, "only the workflow"):
            del os.environ["ACTIONS_ID_TOKEN_REQUEST_URL"]
            publish.run("mcp")
        self.assertEqual(Registry.steps, 0)


if __name__ == "__main__":
    unittest.main()
