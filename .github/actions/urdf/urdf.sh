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

compare() {
    local base=origin/$1 severity=warning different=0 failed=0 file status said
    [ "${COMPARE:-report}" != fail ] || severity=error
    git fetch --quiet --no-tags --depth=1 origin "+refs/heads/$1:refs/remotes/$base"
    list diff --name-only --diff-filter=M "$base" HEAD
    say "### Robots that were changed" "" "| file | compared with \`$1\` |" "|---|---|"
    git worktree add --quiet --detach "$work/base" "$base"  # a whole one: meshes count as well
    for file in ${files[@]+"${files[@]}"}; do
        status=0
        said=$(urdf compare "$work/base/$file" "$file" 2>&1) || status=$?
        case $status in
            0) annotate notice "$file" "${said%%$'\n'*}" ;;
            1)
                different=$((different + 1))
                [ "$severity" = warning ] || failed=1
                annotate "$severity" "$file" "$said"
                ;;
            *)
                failed=1
                annotate error "$file" "$said"
                ;;
        esac
        said=${said%%$'\n'*}
        say "| \`$file\` | ${said//|/\\|} |"
    done
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
