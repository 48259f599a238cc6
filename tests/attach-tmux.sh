#!/bin/bash
# A run and its viewers in real terminals: detach, attach, steer, lose the terminal. Prints TAP; skips
# without tmux.
# environment: TRAINTUI (the program; default ./traintui)
set -u
. "$(dirname "$0")/tmux.sh"

attach() { # attach RUN [OPTION]: on a fresh screen
    keys "clear; $program attach $*" Enter
}
# The page says which process goes on; its number in $pid.
page_names_process() {
    shows 'look again +traintui attach runs/'"$1" || return 1
    pid=$(screen | sed -nE 's/^ +process +([0-9]+)$/\1/p')
    [ -n "$pid" ] && kill -0 "$pid"
}
without_terminal() { [ "$(process_field "$pid" 5)" = 0 ]; }
gone() { [ ! -e "/proc/$1" ] || [ "$(process_field "$1" 1)" = Z ]; }
has_no_socket() { [ ! -e "runs/$1/.socket" ]; }
has_checkpoint() { ls "runs/$1/checkpoints" 2>/dev/null | grep -q '^step-'; }
as_another() { setpriv --reuid 65534 --clear-groups "$@"; }
is_over() { ! is_live "$1"; }
is_live() { [ -e "runs/$1/config.ini" ] && ! flock -n "runs/$1/.lock" true; }
step_stands() {
    local before
    before=$(step)
    sleep 0.5
    [ "$(step)" = "$before" ]
}
# The run whose lock is held by a process without a terminal.
run_of() { for p in $(runs_here); do tr '\0' ' ' <"/proc/$p/cmdline" | grep -q "run.name=$1" && echo "$p"; done; }

steady_config | sed 's/^every = 500/every = 20000/' >"$dir/steady.ini"
cd "$dir" || exit 1
terminal t || { echo "1..0 # SKIP tmux gives no shell"; exit 77; }

# ---- detach and attach
keys "clear; $program steady.ini --start --set run.name=one" Enter
ok "a run begins" shows '● training'
keys q
ok "q offers to detach" shows 'd  detach +training goes on'
keys d
ok "the last page names the process" page_names_process one
ok "the shell has its prompt" status_is 0
ok "and its terminal" restored
ok "the run goes on" goes_on one
ok "without a terminal" without_terminal
ok "its socket is for its user only" [ "$(stat -c %a runs/one/.socket)" = 600 ]
attach one
ok "attach shows it" shows '^ ● training'
ok "steps go on" steps_on
ok "its curve begins at step 0" shows '└┬0' 5
ok "the first rule names the host" shows " $(uname -n):one ──"
for view in '2 loss' '3 lr' '4 memory' '5 eval' '6 state' '7 compare' '8 system' '9 log' 'd data' '1 overview'; do
    keys "${view%% *}"
    ok "view $view" shows "\\[$view\\]" 5
done
keys 9 g
ok "the log has its first line" shows 'mlp: 203,530 parameters' 5
keys 6
ok "the inspector answers" shows 'exp_avg after step' 10

# ---- steering
keys 1 Space
ok "Space pauses it" shows '● paused'
ok "no step is made" step_stands
before=$(step)
keys .
ok "one step" wait_for 5 step_is_beyond "$before"
ok "and no more" [ "$(step)" = $((before + 1)) ]
keys s
ok "s saves" shows "saved step-$((before + 1))" 5
keys Space e
ok "Space resumes" shows '● training'
keys o
ok "o opens the live options" shows 'schedule.scale +1.00' 5
keys Enter Up Enter
ok "a new value is applied" shows 'schedule.scale 1 -> 2 from step' 5
ok "and written to its config" grep -q '^scale = 2' runs/one/config.ini

# ---- several viewers
terminal u
attach one --read-only
ok "a second one looks on" shows '^ ● training'
keys Space
ok "read-only keys ask nothing of the run" shows 'space: this run is read-only' 5
keys 8
ok "there are two" shows 'viewers +2 this one and 1 more' 5
session=t
keys Space
ok "the first pauses" shows '● paused'
session=u
ok "the second sees it" shows '● paused'
session=t
keys o
ok "a value of another screen" shows 'schedule.scale +2.00' 5
keys Escape Space
ok "goes on again" shows '● training'
tmux_ kill-session -t =t
session=u
ok "without its first viewer the run goes on" steps_on
ok "which is not counted any more" shows 'viewers +1 this one *$' 5
keys q
ok "a look leaves without a question" shows 'goes on at step'
ok "and ends nothing" goes_on one
attach one
ok "attach again" shows '^ ● training'
keys o
ok "sees the value" shows 'schedule.scale +2.00' 5
keys Escape q s
ok "save and stop, told to a run elsewhere" shows 'stopped and saved at step'
ok "ends its process" wait_for 5 gone "$pid"
ok "and its socket" has_no_socket one
ok "the viewer has done its work" status_is 0

# ---- a terminal that goes
terminal t
keys "$program steady.ini --start --set run.name=two" Enter
shows '● training' || exit 1
tmux_ kill-session -t =t
session=u
ok "a run goes on when its terminal is closed" goes_on two
keys "clear; $program" Enter
ok "the launcher has it on top" shows 'two +training .* live$'
keys Down
ok "its row is reached" shows '── two ──' 5
keys Enter
ok "Enter attaches" shows '^ ● training'
ok "with its whole curve" shows '└┬0' 5
keys Escape
ok "Esc leads back to the launcher" shows '^── runs' 5
keys Enter
ok "and Enter to the run" shows '^ ● training'
kill -KILL $(run_of two)
ok "a killed run is told" shows '● failed' 5
keys q
ok "with what is left of it" shows 'safe +nothing (was saved|saved since)' 5

# ---- a run without a screen
keys "clear; $program train steady.ini --set run.name=three >out 2>&1 &" Enter
ok "train makes a run" wait_for 5 is_live three
attach three
ok "attach finds it" shows '^ ● training'
keys q d
ok "and leaves it" shows 'goes on at step'
keys 'clear; kill -INT %1; wait %1; echo "status=$?"' Enter
ok "SIGINT for both its processes is one" shows 'status=5$'
keys "clear; nohup $program train steady.ini --set run.name=four >out 2>&1 &" Enter
wait_for 5 is_live four
sleep 0.3
kill -HUP $(run_of four)
ok "nohup means it" goes_on four
kill -TERM $(run_of four)
terminal t
keys "$program train steady.ini --set run.name=five" Enter
wait_for 5 is_live five
tmux_ kill-session -t =t
session=u
ok "train without nohup goes on, too" goes_on five

# ---- what is refused
five=$(run_of five)
kill -KILL "$five"
wait_for 5 gone "$five"
ok "a killed run leaves its socket" [ -S runs/five/.socket ]
attach five
ok "which is no run" shows 'five is not going on: killed'
ok "a mistake of usage" status_is 2
attach none
ok "no such run" shows 'no such run: none'
keys "clear; $program attach one | cat" Enter
ok "no terminal" shows 'attach needs a terminal'

# ---- a run that was killed goes on
keys "clear; $program train steady.ini --set run.name=six >out 2>&1 &" Enter
wait_for 5 is_live six
kill -USR1 $(run_of six)
ok "SIGUSR1 saves" wait_for 5 has_checkpoint six
six=$(run_of six)
kill -KILL $six
wait_for 5 is_over six
keys "clear; $program train steady.ini --set run.name=six --resume >out 2>&1 &" Enter
ok "--resume takes its place" wait_for 5 is_live six
attach six
ok "attach finds it" shows '^ ● training'
ok "with the curve from its first step" shows '└┬0' 5
keys q d
shows 'goes on at step'

if as_another true 2>/dev/null && as_another test -x "$program"; then
    chmod 755 "$dir"
    keys "clear; setpriv --reuid 65534 --clear-groups $program attach $dir/runs/six" Enter
    ok "another user's run" shows 'is a run of another user'
    ok "is refused" status_is 2
fi
keys 'clear; kill %%; wait %%; echo "status=$?"' Enter
ok "SIGTERM for both is one, too" shows 'status=5$'

# ---- a run that nobody can attach to
mkdir runs/six/.socket # as good as a file system without sockets
keys "clear; XDG_RUNTIME_DIR= $program train steady.ini --set run.name=six --resume >out 2>&1 &" Enter
ok "a run without a socket goes on" goes_on six
ok "and says that nobody can attach" wait_for 5 grep -q 'warn attach is not possible' runs/six/log.txt
attach six
ok "attach says so, too" shows 'made no socket'
keys 'clear; kill %%; wait %%; echo "status=$?"' Enter
shows 'status=5$'

# ---- without a screen in the foreground
keys "clear; $program train steady.ini --set run.name=eight" Enter
wait_for 5 is_live eight
keys C-z
ok "^Z stops a run without a screen" shows 'Stopped' 5
keys 'clear; fg' Enter
ok "fg goes on with it" shows 'step +[0-9]+/1000000 '
keys C-c
ok "^C saves and stops" shows 'stopped and saved at step'
ok "with its status" status_is 5
if unshare -pf --mount-proc true 2>/dev/null; then
    keys "clear; unshare -pf --mount-proc $program train steady.ini --set run.name=seven >out 2>&1 &" Enter
    wait_for 5 is_live seven
    kill -TERM $(run_of seven | head -1)
    keys 'clear; wait %%; echo "status=$?"' Enter
    ok "as process 1 its front passes signals on and ends as the run does" shows 'status=5$'
fi

end
