"""THIRD-PARTY.txt, the licences of what is in the program, and brv.cdx.json, the list of its parts (CycloneDX 1.5).

Both come from `cargo metadata` and the sources that cargo has, so that two machines make equal bytes without the network.
cargo-about asks a server for what a crate lacks, and writes a licence without a holder where it may not; cargo-cyclonedx
writes the folders of the machine into its list.
"""

import datetime
import json
import pathlib
import re
import tomllib
import uuid

from .project import ROOT, Stop, epoch, run, version

NAMES = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)
APACHE = "Apache License\n"
# what is linked and no crate: name, licence, holders
STANDARD = ("the standard library of Rust", "MIT OR Apache-2.0", "The Rust Project Contributors")
MUSL = ("musl", "MIT", "2005-2020 Rich Felker, et al.")
# licences that ask to name where the source is
NAMED_SOURCE = "MPL-2.0"


def crates(target=None):
    """The crates in the program for a platform, or for any."""
    return sorted(used(target)[0], key=lambda package: (package["name"], package["version"]))


def used(target=None):
    """The crates in the program, and the names of those that each uses; what our own use is used by `brv`."""
    only = ["--filter-platform", target] if target else []
    words = ["cargo", "metadata", "--locked", "--format-version", "1", *only]
    known = json.loads(run(*words, quiet=True))
    packages = {package["id"]: package for package in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    name = {node: purl(package) if package["source"] else purl() for node, package in packages.items()}
    todo, seen, uses = [known["resolve"]["root"]], set(), {}
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        own = uses.setdefault(name[node], set())
        for other in nodes[node]["deps"]:
            # procedural macros and build scripts are not in the program
            is_macro = any("proc-macro" in kind["kind"] for kind in packages[other["pkg"]]["targets"])
            if any(kind["kind"] is None for kind in other["dep_kinds"]) and not is_macro:
                todo.append(other["pkg"])
                own |= {name[other["pkg"]]} - {name[node]}
    return [packages[node] for node in seen if packages[node]["source"]], uses


def purl(package=None):
    """The name of a crate in lists of parts, or of brv."""
    return f"pkg:cargo/{package['name']}@{package['version']}" if package else f"pkg:cargo/brv@{version()}"


def texts(package):
    """The licence files of a crate."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [file for file in folder.iterdir() if NAMES.match(file.name)]
    files += [file for folder in files if folder.is_dir() for file in folder.iterdir()]
    if package["license_file"]:
        files.append(folder / package["license_file"])
    files = sorted({file for file in files if file.is_file() and file.suffix not in (".rs", ".json", ".html")})
    return ["\n".join(line.rstrip() for line in file.read_text("utf-8", "replace").strip().splitlines()) for file in files]


def third_party(target):
    """The text, and the crates that have no licence of their own in it."""
    by_text, bare, list_of_all = {}, [], []
    of_all = crates(target)
    for package in of_all:
        name = f"{package['name']} {package['version']}"
        licence = package["license"] or "a licence of its own"
        line = f"{name}: {licence}"
        if NAMED_SOURCE in licence:
            line += f"; its source: {package['repository']}"
        list_of_all.append(line)
        found = texts(package)
        if not found:
            bare.append(package)
        for text in found:
            by_text.setdefault(text, []).append(name)
    of_repositories = {home(package): texts(package) for package in of_all if texts(package)}
    for package in bare:
        for text in instead(package, of_repositories.get(home(package)), by_text):
            by_text.setdefault(text, []).append(f"{package['name']} {package['version']}")
    for name, licence, holders in (STANDARD, MUSL) if target.endswith("-musl") else (STANDARD,):
        list_of_all.append(f"{name}: {licence}")
        by_text.setdefault(mit(holders), []).append(name)
    parts = ["Licences of the parts of brv\n\n" + "\n".join(list_of_all)]
    for text, names in sorted(by_text.items(), key=lambda item: item[1]):
        parts.append(f"{'=' * 80}\n{', '.join(names)}\n\n{text}")
    return "\n\n".join(parts) + "\n", [package["name"] for package in bare]


def home(package):
    return (package["repository"] or package["name"]).rstrip("/").removesuffix(".git")


def instead(package, of_repository, by_text):
    """The texts for a crate without a file of its licence: those of its repository, else the one of the licence."""
    licence = package["license"] or ""
    if of_repository:
        return of_repository
    if "Apache-2.0" in licence:
        # it names no holder
        return [next(text for text in sorted(by_text) if text.lstrip().startswith(APACHE))]
    if "MIT" in licence:
        return [mit(", ".join(package["authors"]) or f"the authors of {package['name']}")]
    raise Stop(f"{package['name']} ({licence}) has no text of its licence, and there is none to show for it")


def mit(holders):
    own = (ROOT / "LICENSE-MIT").read_text("utf-8").strip()
    return re.sub(r"(?m)^Copyright .*$", lambda _: f"Copyright (c) {holders}", own, count=1)


def components():
    """The CycloneDX document of all platforms."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    sums = {(one["name"], one["version"]): one.get("checksum") for one in lock}
    made = datetime.datetime.fromtimestamp(epoch(), datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    parts = []
    for package in crates():
        part = {
            "type": "library",
            "bom-ref": purl(package),
            "name": package["name"],
            "version": package["version"],
            "purl": purl(package),
        }
        if package["license"]:
            part["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        if own := sums.get((package["name"], package["version"])):
            part["hashes"] = [{"alg": "SHA-256", "content": own}]
        parts.append(part)
    program = {"type": "application", "bom-ref": purl(), "name": "brv", "version": version(), "purl": purl()}
    uses = [{"ref": ref, "dependsOn": sorted(others)} for ref, others in sorted(used()[1].items())]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'brv {version()}')}",
        "version": 1,
        "metadata": {"timestamp": made, "component": program},
        "components": parts,
        "dependencies": uses,
    }
    return json.dumps(document, indent=1) + "\n"
