"""The schemas of JSON output, frozen with each version in `fixtures/schemas/`."""

import json

from .project import ROOT, Stop, run as call

FROZEN = ROOT / "fixtures/schemas"


def freeze(version):
    """Keep the schemas of today under a version. What is frozen never changes."""
    folder = FROZEN / version
    if folder.exists():
        raise Stop(f"{folder} is there already")
    folder.mkdir(parents=True)
    for name in names():
        document = ask("schema", name)
        text = json.dumps(document["data"]["document"], indent=1, ensure_ascii=False)
        (folder / f"{name.replace('/', '-')}.json").write_text(text + "\n")


def names():
    return [known["schema"] for known in ask("schema")["data"]["schemas"]]


def ask(*words):
    return json.loads(call("cargo", "run", "--quiet", "--locked", "--bin", "brv", "--", *words, "--json", quiet=True))
