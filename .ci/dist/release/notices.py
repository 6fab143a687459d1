"""THIRD-PARTY.txt, the licences of what is in the program, and brv.cdx.json, the list of its parts (CycloneDX 1.5).

Both come from `cargo metadata` and the sources that cargo has, so that they need no other program.
"""

import datetime
import json
import pathlib
import re
import tomllib
import uuid

from .project import ROOT, Stop, epoch, run, version

NAMES = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)
# of crates that have no text of their own, the texts of these are shown
KNOWN = {"MIT": "Permission is hereby granted, free of charge", "Apache-2.0": "Apache License\n"}
# licences that ask to name where the source is
NAMED_SOURCE = "MPL-2.0"


def crates(target=None):
    """The crates in the program for a platform, or for any."""
    only = ["--filter-platform", target] if target else []
    words = ["cargo", "metadata", "--locked", "--format-version", "1", *only]
    known = json.loads(run(*words, quiet=True))
    packages = {package["id"]: package for package in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    todo, seen = [known["resolve"]["root"]], set()
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        for other in nodes[node]["deps"]:
            # procedural macros and build scripts are not in the program
            is_macro = any("proc-macro" in kind["kind"] for kind in packages[other["pkg"]]["targets"])
            if any(kind["kind"] is None for kind in other["dep_kinds"]) and not is_macro:
                todo.append(other["pkg"])
    found = [packages[node] for node in seen if packages[node]["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """The licence files of a crate."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [file for file in folder.iterdir() if NAMES.match(file.name)]
    files += [file for folder in files if folder.is_dir() for file in folder.iterdir()]
    if package["license_file"]:
        files.append(folder / package["license_file"])
    files = sorted({file for file in files if file.is_file() and file.suffix not in (".rs", ".json", ".html")})
    return ["\n".join(line.rstrip() for line in file.read_text(errors="replace").strip().splitlines()) for file in files]


def third_party(target):
    """The text, and the crates that have no licence of their own in it."""
    by_text, bare, list_of_all = {}, [], []
    for package in crates(target):
        name = f"{package['name']} {package['version']}"
        licence = package["license"] or "a licence of its own"
        line = f"{name}: {licence}"
        if NAMED_SOURCE in licence:
            line += f"; its source: {package['repository']}"
        list_of_all.append(line)
        found = texts(package)
        if not found:
            bare.append((name, licence))
        for text in found:
            by_text.setdefault(text, []).append(name)
    for name, licence in bare:
        # one text for those: the Apache licence names no holder, the MIT licence of this file does not matter here
        start = next((KNOWN[spdx] for spdx in ("Apache-2.0", "MIT") if spdx in licence), None)
        own = next((text for text in sorted(by_text) if start and start in text), None)
        if own is None:
            raise Stop(f"{name} ({licence}) has no text of its licence, and there is none to show for it")
        by_text[own].append(name)
    parts = ["Licences of the parts of brv\n\n" + "\n".join(list_of_all)]
    for text, names in sorted(by_text.items(), key=lambda item: item[1]):
        parts.append(f"{'=' * 80}\n{', '.join(names)}\n\n{text}")
    return "\n\n".join(parts) + "\n", [name for name, _ in bare]


def components():
    """The CycloneDX document of all platforms."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(one["name"], one["version"]): one.get("checksum") for one in lock}
    made = datetime.datetime.fromtimestamp(epoch(), datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    parts = []
    for package in crates():
        part = {
            "type": "library",
            "bom-ref": f"pkg:cargo/{package['name']}@{package['version']}",
            "name": package["name"],
            "version": package["version"],
            "purl": f"pkg:cargo/{package['name']}@{package['version']}",
        }
        if package["license"]:
            part["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        if own := sums.get((package["name"], package["version"])):
            part["hashes"] = [{"alg": "SHA-256", "content": own}]
        parts.append(part)
    program = {"type": "application", "name": "brv", "version": version(), "purl": f"pkg:cargo/brv@{version()}"}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'brv {version()}')}",
        "version": 1,
        "metadata": {"timestamp": made, "component": program},
        "components": parts,
    }
    return json.dumps(document, indent=1) + "\n"
