#!/usr/bin/env bash
# What the action of this folder runs: urdf.sh lint|check|compare, in the checkout of who uses it.
# FILES (patterns of git, one a line), LEVEL, OPTIONS, COMPARE: see action.yml. Messages are workflow commands, which
# GitHub shows beside the lines; a table goes to the summary of the job. It needs git, Bash 3.2 and Python 3.8.
set -euo pipefail
tool=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'git worktree remove --force "$work/base" 2>/dev/null || true; rm -rf "$work"' EXIT

# The single file beside the package, so that no module of the checkout is taken for one of the tool.
urdf() { python3 -B "$tool/urdf_simplify.py" "$@"; }

patterns=()
while read -r pattern; do
    [ -z "$pattern" ] || patterns+=("$pattern")
done <<<"${FILES:-*.urdf}"
[ "${#patterns[@]}" -gt 0 ] || patterns=("*.urdf")

# Fill `files` with the names that a command of git lists.
files=()
list() {
    local name
    git "$@" -z -- "${patterns[@]}" >"$work/list"
    files=()
    while IFS= read -r -d '' name; do files+=("$name"); done <"$work/list"
}

# Fill `files` with all that fit, or end if there are none.
list_all() {
    list ls-files
    [ "${#files[@]}" -gt 0 ] || { echo "::notice::no file fits ${patterns[*]}" && exit 0; }
}

say() { [ -z "${GITHUB_STEP_SUMMARY:-}" ] || printf '%s\n' "$@" >>"$GITHUB_STEP_SUMMARY"; }

# Print a message of some severity about a file; its text may have many lines.
annotate() {
    local text=$3 name=$2
    text=${text//'%'/%25} name=${name//'%'/%25}
    text=${text//$'\r'/%0D} name=${name//,/%2C}
    printf '::%s file=%s::%s\n' "$1" "${name//:/%3A}" "${text//$'\n'/%0A}"
}

# Print a headline with each kind of difference and its count, then a table of all of them, from a --report.
summary() {
    python3 -B - "$1" "$2" <<'END'
import collections, json, sys

with open(sys.argv[1], encoding="utf-8") as file:
    found = json.load(file)
rows = [(one["kind"], one["text"]) for key in ("differences", "unproven") for one in found.get(key, ())]
rows += [("sign", f"{one['b']} = -q, where {one['a']} is at q") for one in found.get("joints", ()) if one["sign"] < 0]
counts = collections.Counter(kind for kind, _ in rows)
kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
print(f"{sys.argv[2]} ({kinds})" if kinds else sys.argv[2])
for kind, text in rows:
    print(f"| {kind} | {text.replace('|', chr(92) + '|')} |")
END
}

compare() {
    local base=origin/$1 severity=warning different=0 failed=0 file status said
    [ "${COMPARE:-report}" != fail ] || severity=error
    git fetch --quiet --no-tags --depth=1 origin "+refs/heads/$1:refs/remotes/$base"
    list diff --name-only --diff-filter=M "$base" HEAD
    say "### Robots that were changed" "" "| file | verdict (against \`$1\`) |" "|---|---|"
    git worktree add --quiet --detach "$work/base" "$base"  # a whole one: meshes count as well
    for file in ${files[@]+"${files[@]}"}; do
        status=0
        echo '{}' >"$work/report.json"
        said=$(urdf compare "$work/base/$file" "$file" --full --report "$work/report.json" --force 2>&1) || status=$?
        case $status in
            0) annotate notice "$file" "${said%%$'\n'*}" ;;
            1)
                # Meshes that are not in the checkout make no other robot.
                if grep -q '"verdict": "unproven"' "$work/report.json"; then
                    annotate warning "$file" "$said"
                else
                    different=$((different + 1))
                    [ "$severity" = warning ] || failed=1
                    annotate "$severity" "$file" "$said"
                fi
                ;;
            *)
                failed=1
                annotate error "$file" "$said"
                ;;
        esac
        said=${said%%$'\n'*}
        summary "$work/report.json" "${said//|/\\|}" >"$work/summary"
        say "| \`$file\` | $(head -n 1 "$work/summary") |"
        if [ "$(wc -l <"$work/summary")" -gt 1 ]; then
            printf '%s\n' "" "#### \`$file\`" "" "| kind | difference |" "|---|---|" >>"$work/tables"
            tail -n +2 "$work/summary" >>"$work/tables"
        fi
    done
    [ ! -f "$work/tables" ] || say "$(cat "$work/tables")"
    [ -z "${GITHUB_OUTPUT:-}" ] || echo "different=$different" >>"$GITHUB_OUTPUT"
    return "$failed"
}

case ${1:-} in
    lint)
        list_all
        urdf lint "${files[@]}" --format github --fail-on "${LEVEL:-error}"
        ;;
    check)
        list_all
        read -r -a options <<<"${OPTIONS:-}"
        urdf simplify "${files[@]}" --check --format github ${options[@]+"${options[@]}"}
        ;;
    compare) compare "${GITHUB_BASE_REF:?is the branch that the pull request is for}" ;;
    *) echo "usage: urdf.sh lint|check|compare" >&2 && exit 2 ;;
esac
