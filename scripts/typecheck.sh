#!/usr/bin/env bash
# mypy --strict over all packages, then over tests/ and scripts/.
#
# Type checkers do not see packages that setuptools maps to other folders, and pass after reading one file. So
# .types/texas42/ holds a link to each of them in the place its import name says, and the number of files that
# mypy reports is compared with the number there are.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
python=${VENV_PYTHON:-$root/.venv/bin/python}
export MYPYPATH="$root/.types:$root/tests"

# "envs envs", "agents agents", ...: the name under texas42 and the folder it is mapped to
mapped_folders() {
    "$python" - <<'PY'
import pathlib
import tomllib

setuptools = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["tool"]["setuptools"]
for name, folder in setuptools["package-dir"].items():
    if name != "texas42":
        print(name.removeprefix("texas42."), folder)
PY
}

link_packages() {
    mkdir -p .types/texas42
    find .types/texas42 -maxdepth 1 -type l -delete
    local entry name folder
    for entry in texas42/*; do
        [ "$entry" = texas42/__pycache__ ] || ln -sfn "$root/$entry" ".types/$entry"
    done
    while read -r name folder; do
        ln -sfn "$root/$folder" ".types/texas42/$name"
    done < <(mapped_folders)
}

# check LABEL EXPECTED ARGUMENTS...: run mypy, show its closing line, refuse a count below EXPECTED
check() {
    local label=$1 expected=$2 output checked status=0
    shift 2
    output=$(cd .types && "$python" -m mypy --strict --config-file "$root/pyproject.toml" \
        --cache-dir "$root/.mypy_cache" "$@" 2>&1) || status=$?
    printf '%s: %s\n' "$label" "$output"
    checked=$(sed -nE 's/.*(in|checked) ([0-9]+) source files?\)?.*/\2/p' <<<"$output" | tail -n 1)
    if [ "$status" -eq 0 ] && [ "${checked:-0}" -lt "$expected" ]; then
        echo "$label: mypy checked ${checked:-0} files, but there are $expected" >&2
        status=1
    fi
    return "$status"
}

link_packages
failed=0

folders=$(mapped_folders | cut -d' ' -f2)
# shellcheck disable=SC2086
packaged=$(find texas42 $folders -name '*.py' -not -path '*/__pycache__/*' | wc -l)
check packages "$packaged" --no-namespace-packages -p texas42 || failed=1

mapfile -t beside < <(find "$root/tests" "$root/scripts" -name '*.py' -not -path '*/__pycache__/*' | sort)
check "tests and scripts" "${#beside[@]}" "${beside[@]}" || failed=1

exit "$failed"
