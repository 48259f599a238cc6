#!/bin/bash
# The console in a real terminal: tmux types the keys and reads the screen. Prints TAP; skips without tmux.
# environment: TRAINTUI (the program; default ./traintui)
set -u
. "$(dirname "$0")/tmux.sh"

picture_moves() {
    local before
    before=$(screen | sed -n 3,11p)
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.5
        [ "$(screen | sed -n 3,11p)" != "$before" ] && return 0
    done
    return 1
}

begin() { # begin ARGUMENTS: a fresh screen, the program on it, its process number in ./pid
    keys "clear; sh -c 'echo \$\$ >pid; exec \"\$0\" $*' $program" Enter
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.1
        [ -s "$dir/pid" ] && break
    done
}
stopped_run_is_saved() {
    for _ in $(seq 100); do
        ls "$dir/runs/$1/checkpoints" 2>/dev/null | grep -q '^step-' && return 0
        sleep 0.1
    done
    return 1
}
ended_with() {
    for _ in $(seq 100); do
        [ -s status ] && [ "$(cat status)" = "$1" ] && return 0
        sleep 0.1
    done
    return 1
}

mkdir "$dir/configs"
steady_config >"$dir/configs/steady.ini"
cd "$dir" || exit 1
terminal t || { echo "1..0 # SKIP tmux gives no shell"; exit 77; }

begin
ok "the launcher lists the config" shows 'steady.ini +mlp +synthetic +adamw +linear'
keys Enter
ok "Enter opens the form, Start is selected" shows '^> Start training'
ok "the form says that it fits" shows '^ ready .* fits'
keys Enter
ok "Enter starts the run" shows '● training'
ok "steps go on" steps_on
ok "the curve moves" picture_moves
for view in '2 loss' '3 lr' '4 memory' '5 eval' '9 log' '1 overview'; do
    keys "${view%% *}"
    ok "key ${view%% *} opens ${view#* }" shows "\\[$view\\]" 5
done
keys Space
ok "Space pauses" shows '● paused'
before=$(step)
sleep 1
ok "a paused run does no step" [ "$(step)" = "$before" ]
keys .
sleep 1
ok "one step" [ "$(step)" = $((before + 1)) ]
keys Space
ok "Space resumes" shows '● training'
tmux_ resize-window -t t -x 120 -y 40
ok "a larger terminal shows more" shows 'where a step goes' 5
tmux_ resize-window -t t -x 44 -y 14
ok "a small one shows less" shows '^● training step' 5
tmux_ resize-window -t t -x 30 -y 8
ok "too small says so" shows '^too small: 30x8' 5
tmux_ resize-window -t t -x 80 -y 24
ok "back to the usual size" shows '^ ● training' 5
keys C-z
ok "^Z gives the shell its prompt" shows 'Stopped' 5
ok "a suspended screen is given back" restored
ok "the run behind it goes on" goes_on steady
keys 'clear; bg; sleep 0.3; jobs' Enter
ok "bg leaves it without a screen" shows 'Running' 5
keys fg Enter
ok "fg brings the picture back" shows '^ ● training'
ok "steps go on in it" steps_on
keys q
ok "q asks" shows 'leave steady\?'
keys s
ok "save and stop ends with the last page" shows 'stopped and saved at step'
ok "the exit status says stopped and saved" status_is 5
ok "the terminal is as before" restored
ok "the checkpoint is there" stopped_run_is_saved steady

begin configs/steady.ini --start
ok "--start needs no key" shows '● training'
kill -SEGV "$(cat pid)"
ok "a crash is told" shows 'traintui: crashed, SIGSEGV' 30
ok "the exit status is that of the signal" status_is 139
ok "the terminal is restored after a crash" restored

rm -f pid
begin configs/steady.ini --start
shows '● training'
kill -TERM "$(cat pid)"
ok "SIGTERM stops and saves" shows 'stopped and saved at step'
ok "with its exit status" status_is 5
ok "the terminal is restored after SIGTERM" restored

rm -f pid
begin configs/steady.ini --start
shows '● training'
run=$(basename "$(ls -td runs/*/ | head -1)")
kill -HUP "$(cat pid)"
ok "SIGHUP leaves a prompt where the terminal lives on" shows '^\$ *$'
ok "the run has not ended" status_is 0
ok "it goes on" goes_on "$run"
ok "the terminal is restored after SIGHUP" restored

begin configs/steady.ini --start
shows '● training'
keys C-c
ok "^C saves and stops" shows 'stopped and saved at step'
ok "with the same exit status" status_is 5

keys "clear; TERM=dumb $program configs/steady.ini" Enter
ok "TERM=dumb is refused with the way out" shows 'no screen can be drawn'
ok "as a mistake of usage" status_is 2

# Without SIGHUP the end of the terminal shows when it is read.
keys "clear; sh -c 'trap \"\" HUP; \"\$0\" configs/steady.ini --set run.name=lost --start; echo \$? >status' $program" Enter
shows '● training'
tmux_ kill-server
ok "whose terminal is gone leaves it" ended_with 0
ok "and its run goes on" goes_on lost

"$program" </dev/null >out 2>&1
ok "without a terminal and a file it says what to do" [ $? -eq 2 ]

end
