# What tests that type into a real terminal share; they source it. Prints TAP.
# environment: TRAINTUI (the program; default ./traintui)

program=$(realpath "${TRAINTUI:-./traintui}")
count=0 bad=0 session=t

if ! command -v tmux >/dev/null || [ ! -x "$program" ]; then
    echo "1..0 # SKIP no tmux, or no $program"
    exit 77
fi

dir=$(mktemp -d)
server=traintui-$$
unset NO_COLOR TMUX
tmux_() { tmux -L "$server" -f /dev/null "$@"; }
# process_field PID N: of /proc/PID/stat behind the name: 1 state, 2 parent, 5 terminal.
process_field() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f "$2"; }
# Processes of the program that work in our folder: runs that were left to themselves.
runs_here() {
    local p
    for p in /proc/[0-9]*; do
        [ "$(readlink "$p/cwd" 2>/dev/null)" = "$dir" ] &&
            [ "$(cat "$p/comm" 2>/dev/null)" = "${program##*/}" ] && echo "${p#/proc/}"
    done
}
finish() {
    tmux_ kill-server 2>/dev/null
    kill -KILL $(runs_here) 2>/dev/null
    rm -rf "$dir"
}
trap finish EXIT

# ok TEXT COMMAND...: one TAP line by the command's status; the screen follows a failure.
ok() {
    local text=$1
    shift
    count=$((count + 1))
    if "$@"; then
        echo "ok $count - $text"
    else
        bad=$((bad + 1))
        echo "not ok $count - $text"
        screen | sed 's/^/# /'
    fi
}
end() {
    echo "1..$count"
    [ "$bad" -eq 0 ]
}

# A shell in a terminal of its own, which is then the one that is typed into.
terminal() {
    session=$1
    tmux_ new-session -d -s "$1" -x 80 -y 24 \
        "env PS1='\$ ' LC_ALL=C.UTF-8 HISTFILE= bash --norc --noprofile"
    shows '^\$ *$'
}
# "t" alone might be a window that is called "traintui".
screen() { tmux_ capture-pane -p -t "=$session:"; }
keys() { tmux_ send-keys -t "=$session:" "$@"; }
field() { tmux_ display-message -p -t "=$session:" "#{$1}"; }

# wait_for SECONDS COMMAND...: it comes to succeed in that time.
wait_for() {
    local left=$(($1 * 10))
    shift
    until "$@"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 0.1
    done
}
on_screen() { screen | grep -qE -- "$1"; }
# shows PATTERN [SECONDS]: the screen comes to show it in that time (default 15).
shows() { wait_for "${2:-15}" on_screen "$1"; }

step() { screen | sed -nE 's/.*step +([0-9,]+)\/.*/\1/p' | tr -d , | tail -1; }
step_is_beyond() {
    local now
    now=$(step)
    [ -n "$now" ] && [ "$now" -gt "$1" ]
}
has_step() { [ -n "$(step)" ]; }

steps_on() {
    local before
    wait_for 15 has_step || return 1
    before=$(step)
    wait_for 15 step_is_beyond "$before"
}

# What the shell's terminal is like: cooked, with echo, on the normal screen, its cursor visible.
restored() {
    shows '^\$ *$' 15 || return 1
    keys 'stty -a | tr " ;" "\n\n" | grep -xE "icanon|echo|icrnl|ixon|opost" | sort | tr "\n" "+"' Enter
    shows 'echo\+icanon\+icrnl\+ixon\+opost\+' 5 &&
        [ "$(field alternate_on)" = 0 ] && [ "$(field cursor_flag)" = 1 ]
}
status_is() {
    keys 'echo "status=$?"' Enter
    shows "status=$1\$" 5
}

# Lines of a run's metrics go on being written.
metrics_size() { stat -c %s "$dir/runs/$1/metrics.jsonl" 2>/dev/null || echo 0; }
metrics_beyond() { [ "$(metrics_size "$1")" -gt "$2" ]; }
goes_on() { wait_for 5 metrics_beyond "$1" "$(metrics_size "$1")"; }

# A run that is quick and does not end by itself.
steady_config() {
    cat <<'END'
[model]
type = mlp
hidden = 256
[data]
format = synthetic
rows = 6000
[optimizer]
lr = 1e-3
[train]
max_steps = 1000000
batch_size = 64
[eval]
every = 500
best = accuracy
[checkpoint]
every = no
[log]
tensorboard = no
END
}
