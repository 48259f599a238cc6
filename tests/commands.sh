# What the scripts that try commands share; sourced. Uses $TRAINTUI; makes a temporary folder the current
# one, removed at exit. `end_of_tests` prints the plan.
: "${TRAINTUI:?the program to test}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
count=0 bad=0 ran=nothing rc=0
: >out
: >err

# verdict NAME STATUS: one TAP line; what the last `run` did is shown when it is not ok.
verdict() {
    count=$((count + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
        return
    fi
    bad=$((bad + 1))
    echo "not ok $count - $1"
    echo "# $ran: exit $rc"
    sed 's/^/# stdout: /; 12q' out
    sed 's/^/# stderr: /; 12q' err
}

# Runs traintui; leaves `out`, `err` and $rc.
run() {
    ran="traintui $*"
    "$TRAINTUI" "$@" >out 2>err </dev/null
    rc=$?
}

end_of_tests() {
    echo "1..$count"
    [ "$bad" -eq 0 ]
}
