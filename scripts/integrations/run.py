"""Run every integration check in a virtual environment of its own and print a table.

    python scripts/integrations/run.py [--only rllib torchrl ...] [--where .integrations]

Environments are made once and used again until the requirements change. Exit code 1 if a check failed.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TIMEOUT = 1800  # seconds of one check


@dataclass(frozen=True)
class Library:
    """A library with the versions that are installed for its check, with torch or without."""

    name: str
    requirements: tuple[str, ...]
    torch: bool = True

    @property
    def wanted(self) -> list[str]:
        """All that is installed."""
        return [*([pin("torch")] if self.torch else []), *self.requirements]

    @property
    def script(self) -> Path:
        """Its check."""
        return HERE / f"check_{self.name.lower()}.py"


LIBRARIES = (
    Library("RLlib", ("ray[rllib]==2.60.0", "numpy==2.4.6")),
    Library("TorchRL", ("torchrl==0.14.1", "tensordict==0.14.3", "numpy==2.4.6")),
    Library("Tianshou", ("tianshou==2.0.1", "numpy==2.4.6")),
    Library("AgileRL", ("agilerl==2.58.0", "peft==0.21.0")),  # it imports peft without asking for it
    Library("OpenSpiel", ("open_spiel==2.0.2", "numpy==2.4.6"), torch=False),
    Library("SuperSuit", ("supersuit==3.11.0", "numpy==2.4.6"), torch=False),
)


def pin(package: str) -> str:
    """The version that the constraints name. Of torch, unpinned, a library may fetch a build for GPUs."""
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{package}=="):
            return line.strip()
    raise SystemExit(f"constraints.txt does not pin {package}")


def prepare(library: Library, where: Path) -> Path:
    """The interpreter of a library's environment, made if it is missing or its requirements have changed."""
    folder = where / library.name.lower()
    python = folder / "bin" / "python"
    wanted = library.wanted
    stamp = folder / "requirements.sha256"
    digest = hashlib.sha256("\n".join([*wanted, sys.version]).encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return python
    if folder.exists():
        shutil.rmtree(folder)
    print(f"{library.name}: installing {', '.join(wanted)}", flush=True)
    venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, pin("pip")], check=True)  # old ones resolve for an hour
    if library.torch:
        subprocess.run([*pip, pin("torch")], check=True)
    subprocess.run([*pip, *wanted, "-e", str(ROOT)], check=True)
    stamp.write_text(digest)
    return python


def documented(library: Library) -> list[str]:
    """The code blocks of the library's section in docs/INTEGRATIONS.md."""
    text = (ROOT / "docs" / "INTEGRATIONS.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {library.name}$(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return re.findall(r"```python\n(.*?)```", section[1], re.DOTALL) if section else []


def check(library: Library, python: Path) -> dict[str, Any]:
    """The line of a check, with ``passed``, which the documented code must pass too."""
    print(f"{library.name}: checking", flush=True)
    done = execute([str(python), str(library.script)])
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        return {"passed": False, "versions": {}, "notes": f"exit code {done.returncode}"}
    found: dict[str, Any] = json.loads(lines[-1])
    blocks = documented(library)
    failed = [block for block in blocks if execute([str(python), "-P", "-c", block]).returncode != 0]
    passed = bool(blocks) and not failed
    return {"passed": passed, **found, "notes": found["notes"] + ("" if passed else "; the documented code fails")}


def execute(command: list[str]) -> "subprocess.CompletedProcess[str]":
    """Run in an empty folder; what it wrote is shown where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, cwd=folder)
    if done.returncode != 0:
        print(done.stdout[-4000:] + done.stderr[-4000:])
    return done


def run(library: Library, where: Path) -> dict[str, Any]:
    """Prepare and check; never raises."""
    try:
        return check(library, prepare(library, where))
    except (subprocess.SubprocessError, OSError) as error:
        return {"passed": False, "versions": {}, "notes": str(error).splitlines()[0]}


def table(results: dict[str, dict[str, Any]]) -> str:
    """A Markdown table."""
    rows = ["| library | version | gymnasium | pettingzoo | numpy | result | what was run |", "|---" * 7 + "|"]
    for name, result in results.items():
        versions = result["versions"]
        own = versions.get(result.get("package", ""), "-")
        others = (versions.get(other, "-") for other in ("gymnasium", "pettingzoo", "numpy"))
        outcome = "pass" if result["passed"] else "**fail**"
        rows.append(f"| {name} | {own} | {' | '.join(others)} | {outcome} | {result['notes']} |")
    return "\n".join(rows)


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [library.name.lower() for library in LIBRARIES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--where", type=Path, default=ROOT / ".integrations", help="folder of the environments")
    args = parser.parse_args()
    results = {lib.name: run(lib, args.where.resolve()) for lib in LIBRARIES if lib.name.lower() in args.only}
    print("\n" + table(results))
    return 0 if all(result["passed"] for result in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
