#!/usr/bin/env bash
# What the action of this folder runs: urdf.sh lint|check|compare, in the checkout of who uses it.
# FILES (patterns of git, one a line), LEVEL, OPTIONS, COMPARE, FAIL_ON: see action.yml. Messages are workflow commands,
# which GitHub shows beside the lines; a table goes to the summary of the job. It needs git, Bash 3.2 and Python 3.8.
set -euo pipefail
tool=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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

# Get the branch that the pull request is for, and what it and this branch have in common. A merge as GitHub checks it
# out names the tip of that branch as a parent; any other checkout of a few commits needs the older ones.
fetch_base() {
    local tip depth=()
    # In a checkout of all commits, a depth would hide some of them.
    [ "$(git rev-parse --is-shallow-repository)" = false ] || depth=(--depth=1)
    git fetch --quiet --no-tags ${depth[@]+"${depth[@]}"} origin "+refs/heads/$1:refs/remotes/origin/$1"
    tip=$(git rev-parse "origin/$1")
    ! git cat-file commit HEAD | sed '/^$/q' | grep -qxF "parent $tip" || return 0
    git merge-base "$tip" HEAD >"$work/common" 2>&1 || git fetch --quiet --no-tags --unshallow origin
}

compare() {
    local base=$1 status=0 words=()
    [ -z "${FAIL_ON:-}" ] || words+=(--fail-on "$FAIL_ON")
    fetch_base "$base"
    # Robots that the branch removed are listed, too.
    list ls-files --with-tree="origin/$base"
    [ "${#files[@]}" -gt 0 ] || { echo "::notice::no file fits ${patterns[*]}" && exit 0; }
    urdf compare --since "origin/$base" "${patterns[@]}" --format github --report "$work/summary.md" \
        ${words[@]+"${words[@]}"} >"$work/said" || status=$?
    # A job that only reports shows no errors, unless a robot cannot be read.
    if [ "${COMPARE:-report}" != fail ] && [ "$status" -le 1 ]; then
        sed 's/^::error /::warning /' "$work/said"
    else
        cat "$work/said"
    fi
    [ ! -f "$work/summary.md" ] || [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$work/summary.md" >>"$GITHUB_STEP_SUMMARY"
    [ -z "${GITHUB_OUTPUT:-}" ] || echo "different=$([ "$status" -eq 0 ] && echo false || echo true)" >>"$GITHUB_OUTPUT"
    [ "${COMPARE:-report}" = fail ] || [ "$status" -gt 1 ] || status=0
    return "$status"
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
