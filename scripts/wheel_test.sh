#!/usr/bin/env bash
# Builds the wheel, installs it without extras into a fresh environment, and tries it from another folder.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
python=${VENV_PYTHON:-$root/.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "Building the source distribution and, from it, the wheel"
"$python" -m build --outdir "$work/dist" "$root" >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; exit 1; }
wheel=$(find "$work/dist" -name 'texas42-*.whl')

echo "Installing $(basename "$wheel") without extras"
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -qq --disable-pip-version-check -c "$root/constraints.txt" "$wheel"

mkdir "$work/elsewhere"
cd "$work/elsewhere"
"$work/venv/bin/python" -I "$root/scripts/wheel_check.py" "$root" "$wheel"
"$work/venv/bin/texas42" --help >"$work/help.txt"
grep -q texas42 "$work/help.txt"
"$work/venv/bin/python" -m texas42 --help >/dev/null
echo "Wheel test passed"
