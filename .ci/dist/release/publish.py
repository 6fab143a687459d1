"""`publish CHANNEL`: sends to one registry what is not there yet, so that a rerun is safe.

Each registry gives the workflow a short-lived token for its identity: nothing is stored.
"""

import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request

from .project import DIST, Stop, is_test, label, members, repository, run as call, version

REGISTRY = "https://registry.modelcontextprotocol.io/v0"


def run(channel):
    channels = {"crates": crates, "npm": npm, "pypi": pypi, "mcp": mcp}
    if channel not in channels:
        raise Stop(f"{channel} is none of {', '.join(channels)}")
    if is_test():
        raise Stop("what was made for a test is not published")
    repository()
    channels[channel]()


def crates():
    for name in members():
        if answers(f"https://crates.io/api/v1/crates/{name}/{version()}"):
            print(f"{name} {version()} is there")
            continue
        # `check` has compiled them; the token of the workflow is good for half an hour
        call("cargo", "publish", "--locked", "--no-verify", "-p", name)


def npm():
    """The packages of the platforms first: that of git-brv must find them."""
    files = sorted(made(f"git-brv*-{label()}.tgz"), key=lambda file: -len(file.name))
    for file in files:
        name = file.name.removesuffix(f"-{label()}.tgz")
        if answers(f"https://registry.npmjs.org/{name}/{version()}"):
            print(f"{name} {version()} is there")
            continue
        # by hand there is no workflow to name
        words = ["--provenance"] if os.environ.get("ACTIONS_ID_TOKEN_REQUEST_URL") else []
        call("npm", "publish", file, "--access", "public", *words)


def pypi():
    call("python3", "-m", "twine", "upload", "--skip-existing", *sorted(made(f"brv-{version()}-*.whl")))


def made(pattern):
    """What `pack` has made. To publish nothing would be no success."""
    files = list(DIST.glob(pattern))
    if not files:
        raise Stop(f"{DIST} has no {pattern}: run `.ci/release pack`")
    return files


def mcp():
    document = json.loads((DIST / "server.json").read_text("utf-8"))
    name = urllib.parse.quote(document["name"], safe="")
    if answers(f"{REGISTRY}/servers/{name}/versions/{version()}"):
        print(f"{document['name']} {version()} is there")
        return
    asked = os.environ.get("ACTIONS_ID_TOKEN_REQUEST_URL")
    if not asked:
        raise Stop("only the workflow of a release has the identity that the registry asks for")
    who = {"Authorization": f"Bearer {os.environ['ACTIONS_ID_TOKEN_REQUEST_TOKEN']}"}
    identity = fetch(f"{asked}&audience=mcp-registry", who)["value"]
    token = fetch(f"{REGISTRY}/auth/github-oidc", {}, {"oidc_token": identity})["registry_token"]
    fetch(f"{REGISTRY}/publish", {"Authorization": f"Bearer {token}"}, document)


class Absent(Stop):
    """An address has nothing."""


def answers(address):
    """Whether there is something at an address. Only 404 means that there is nothing."""
    try:
        fetch(address, {})
    except Absent:
        return False
    return True


def fetch(address, headers, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"User-Agent": f"brv-release ({repository()})", "Content-Type": "application/json", **headers}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data, headers), timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        # a refusal of an identity may repeat it
        why = "" if error.code in (401, 403) else error.read(500).decode(errors="replace").strip()
        kind = Absent if error.code == 404 else Stop
        raise kind(f"{address} answers {error.code}" + (f": {why}" if why else "")) from error
    except json.JSONDecodeError as error:
        raise Stop(f"{address} answers with something other than JSON") from error
    except (OSError, http.client.HTTPException) as error:
        raise Stop(f"cannot reach {address}: {getattr(error, 'reason', error)}") from error
