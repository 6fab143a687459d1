"""`pack`: what a release has beside its archives, made from them: sums, installers, packages, lists."""

import base64
import csv
import hashlib
import io
import json
import re
import subprocess
import tempfile
import pathlib
import urllib.parse

from . import bundle, notices
from .project import (
    DIST, ROOT, TARGETS, TEMPLATES, Stop, archives, checksum, epoch, filled, is_test, label, package, program,
    repository, version,
)

# made here, and not listed in the sums
SUMS = "SHA256SUMS"
# what the page of the release says; not a file of the release
NOTES = "notes.md"


def run(*words):
    if words not in ((), ("--partly",)):
        raise Stop(f"unknown argument {words[0]}; pack takes --partly")
    repository()
    found = archives()
    if not found:
        raise Stop("dist/ has no archive of this version: run `.ci/release build TARGET`")
    if not is_test() and not words and len(found) < len(TARGETS):
        raise Stop(f"no archive for {', '.join(set(TARGETS) - set(found))}")
    programs = {target: programs_of(target, file) for target, file in found.items()}
    made = {name: text(name) for name in ("install.sh", "install.ps1", "brv.rb", "brv.scoop.json", "server.json")}
    made["Dockerfile"] = text("Dockerfile")
    made["brv.cdx.json"] = notices.components().encode()
    for target in found:
        made |= npm_of(target, programs[target]) | wheel(target, programs[target])
        made |= mcpb(target, programs[target])
    made |= npm(found) | plugins(found)
    for name, content in made.items():
        (DIST / name).write_bytes(content)
    # what people download; registries keep sums of their own
    listed = sorted([*(file.name for file in found.values()), *(n for n in made if not n.endswith((".tgz", ".whl")))])
    (DIST / SUMS).write_bytes("".join(f"{checksum(DIST / name)}  {name}\n" for name in listed).encode())
    (DIST / NOTES).write_bytes(notes().encode())
    for name in (*listed, *sorted(set(made) - set(listed)), SUMS):
        print(f"{(DIST / name).stat().st_size / 1000:>10.0f} kB  {name}")


def notes():
    """What the changelog says about this version, or about what is not released yet."""
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    heads = rf"(?ms)^## \[(?:{re.escape(version())}|Unreleased)\][^\n]*\n(.*?)(?=^## \[|\Z)"
    found = re.search(heads, changes)
    if not found or not found[1].strip():
        raise Stop(f"CHANGELOG.md says nothing about {version()}")
    return found[1].strip() + "\n"


def text(name):
    about = package()["description"]
    # Homebrew takes 80 characters
    names = {"DESCRIPTION": about, "SHORT": about.partition(":")[0], "SERVER": server(), "HOST": host()}
    return filled(name, **names).encode()


def host():
    """What the registry of MCP calls the host of the sources: `github`."""
    name = urllib.parse.urlsplit(repository()).hostname
    return (name.split(".") if "." in name else [name, ""])[-2]


def server():
    """The name in the registry of MCP: the owner of the address, backwards."""
    address = urllib.parse.urlsplit(repository())
    owner = address.path.strip("/").split("/")[0]
    if address.hostname == "github.com":
        return f"io.github.{owner}/brv"
    return ".".join(reversed(address.hostname.split("."))) + "/brv"


def programs_of(target, file):
    """The two programs, the licences and the notices, by their names."""
    inside = {path.partition("/")[2]: one for path, one in bundle.read(file).items()}
    names = [program(target), "git-" + program(target), "THIRD-PARTY.txt"]
    return {name: inside[name] for name in [*names, *(name for name in inside if name.startswith("LICENSE-"))]}


def npm_name(target):
    system, processor, _ = TARGETS[target]
    return f"git-brv-{system}-{processor}"


def npm_of(target, files):
    """The package that has the programs of one platform, and runs nothing when it is installed."""
    system, processor, _ = TARGETS[target]
    name = npm_name(target)
    own = {
        "name": name,
        "version": version(),
        "description": f"brv for {system} on {processor}; install git-brv",
        "license": package()["license"],
        "repository": {"type": "git", "url": f"git+{repository()}.git"},
        "os": [system],
        "cpu": [processor],
        "preferUnplugged": True,
    }
    return tgz(name, {**files, "package.json": (drawn(own), False)})


def npm(found):
    """The package that people install: it depends on those of all platforms, of which npm takes one."""
    own = json.loads(text("npm/package.json"))
    own["optionalDependencies"] = {npm_name(target): version() for target in TARGETS if target in found}
    starts = {
        f"bin/{name}.js": ((TEMPLATES / "npm/start.js").read_text("utf-8").replace("@NAME@", name).encode(), True)
        for name in ("brv", "git-brv")
    }
    texts = {file.name: (file.read_bytes(), False) for file in (ROOT / "README.md", *ROOT.glob("LICENSE-*"))}
    return tgz("git-brv", {**starts, **texts, "package.json": (drawn(own), False)})


def tgz(name, files):
    inside = {f"package/{path}": file for path, file in files.items()}
    return {f"{name}-{label()}.tgz": bundle.tar_gz(inside, epoch())}


def wheel(target, files):
    """A wheel whose scripts are the programs themselves: no Python starts them."""
    tag = f"py3-none-{TARGETS[target][2]}"
    data, info = f"brv-{version()}.data/scripts", f"brv-{version()}.dist-info"
    inside = {}
    for name, file in files.items():
        folder = data if "brv" in name else f"{info}/licenses"
        inside[f"{folder}/{name}"] = file
    about = [
        "Metadata-Version: 2.4", "Name: brv", f"Version: {version()}", f"Summary: {package()['description']}",
        f"License-Expression: {package()['license']}",
        *(f"License-File: {name}" for name in sorted(files) if "brv" not in name), f"Project-URL: Source, {repository()}",
        "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text("utf-8"),
    ]
    kind = ["Wheel-Version: 1.0", "Generator: brv", "Root-Is-Purelib: false"]
    kind += [f"Tag: py3-none-{platform}" for platform in TARGETS[target][2].split(".")]
    inside[f"{info}/METADATA"] = ("\n".join(about).encode(), False)
    inside[f"{info}/WHEEL"] = (("\n".join(kind) + "\n").encode(), False)
    record = io.StringIO()
    lines = csv.writer(record, lineterminator="\n")
    for path, (content, _) in sorted(inside.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.writerow([path, f"sha256={digest}", len(content)])
    lines.writerow([f"{info}/RECORD", "", ""])
    inside[f"{info}/RECORD"] = (record.getvalue().encode(), False)
    return {f"brv-{version()}-{tag}.whl": bundle.zip(inside, epoch())}


def bundled(target, kind):
    """The files that `brv connectors bundle` writes, by path."""
    inside = bundle.read(archives()[target])
    content = next(one for path, (one, _) in inside.items() if path.endswith(f"/{program(target)}"))
    with tempfile.TemporaryDirectory() as folder:
        own = pathlib.Path(folder) / program(target)
        own.write_bytes(content)
        own.chmod(0o755)
        words = [own, "connectors", "bundle", "--output", "out", "--target", kind]
        subprocess.run(words, check=True, capture_output=True, cwd=folder)
        out = pathlib.Path(folder) / "out" / kind
        return {str(file.relative_to(out)): (file.read_bytes(), False) for file in out.rglob("*") if file.is_file()}


def runs_here(found):
    for target in found:
        try:
            return target, bundled(target, "mcpb")
        except (OSError, subprocess.CalledProcessError):
            continue
    raise Stop("none of the programs in dist/ runs on this machine")


def mcpb(target, files):
    """The bundle of an MCP server, with the program inside: an app cannot count on one on the PATH."""
    _, made = runs_here(archives())
    manifest = json.loads(made["manifest.json"][0])
    name = program(target)
    manifest["version"] = version()
    manifest["server"]["entry_point"] = f"server/{name}"
    manifest["server"]["mcp_config"]["command"] = f"${{__dirname}}/server/{name}"
    manifest["user_config"].pop("program", None)
    manifest["compatibility"]["platforms"] = [TARGETS[target][0]]
    inside = {path: file for path, file in made.items() if path != "manifest.json"}
    inside |= {f"server/{name}": files[name]}
    inside |= {path: file for path, file in files.items() if "brv" not in path}
    inside["manifest.json"] = (drawn(manifest), False)
    return {f"brv-{label()}-{target}.mcpb": bundle.zip(inside, epoch())}


def plugins(found):
    """The plugin and the extension, which start the brv on the PATH."""
    target, _ = runs_here(found)
    made = {}
    for kind in ("claude", "gemini"):
        inside = {f"brv/{path}": file for path, file in bundled(target, kind).items()}
        made[f"brv-{label()}-{kind}.zip"] = bundle.zip(inside, epoch())
    return made


def drawn(value):
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
