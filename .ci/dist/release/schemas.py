"""The schemas of JSON output, frozen with each version in `fixtures/schemas/`."""

import json
import os
import pathlib

from .project import ROOT, Stop, metadata, run as call

FROZEN = ROOT / "fixtures/schemas"


def today():
    """The schemas of what is printed today, by the names of their files."""
    call("cargo", "build", "--quiet", "--locked", "--bin", "brv")
    program = pathlib.Path(metadata()["target_directory"]) / "debug" / ("brv.exe" if os.name == "nt" else "brv")
    names = [known["schema"] for known in ask(program)["schemas"]]
    if not names:
        raise Stop(f"{program} prints no schemas")
    return {f"{name.replace('/', '-')}.json": ask(program, name)["document"] for name in names}


def ask(program, *words):
    return json.loads(call(program, "schema", *words, "--json", quiet=True))["data"]


def freeze(version, documents):
    """Keep schemas under a version. What is frozen never changes."""
    folder = FROZEN / version
    if folder.exists():
        raise Stop(f"{folder} is there already")
    folder.mkdir(parents=True)
    for name, document in documents.items():
        text = json.dumps(document, indent=1, ensure_ascii=False)
        (folder / name).write_text(text + "\n", "utf-8")
