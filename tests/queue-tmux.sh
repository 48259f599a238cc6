#!/bin/bash
# Queues in a real terminal: started from the command line, watched in compare, detached, attached to as it
# goes from run to run, stopped and gone on with. Prints TAP; skips without tmux.
# environment: TRAINTUI (the program; default ./traintui)
set -u
. "$(dirname "$0")/tmux.sh"

finished() { grep -q '"state": *"finished"' "runs/$1/run.json" 2>/dev/null; }
stopped() { grep -q '"state": *"stopped"' "runs/$1/run.json" 2>/dev/null; }
was_shown() { tmux_ capture-pane -p -S -100 -t "=$session:" | grep -qE -- "$1"; }
gone() { [ -z "$(runs_here)" ]; }

cd "$dir" || exit 1
mkdir -p configs/cmp
for optimizer in adafactor adamw lion; do
    steady_config | sed "s/^lr = /name = $optimizer\nlr = /" >configs/cmp/$optimizer.ini
done
terminal t || { echo "1..0 # SKIP tmux gives no shell"; exit 77; }

keys "clear; $program" Enter
ok "the launcher lists the folder as a queue" shows 'cmp/ +3 runs'
keys Enter
ok "Enter asks" shows '3 runs: adafactor, adamw, lion'
keys Enter
ok "and starts the first run" shows '● training'
keys 7
ok "compare shows the queue" shows 'queue 1 of 3'
keys q n
ok "n goes on with the next run" shows 'queue 2 of 3' 20
ok "the first one is saved" wait_for 5 stopped adafactor
ok "both are compared" shows '^ B .*adamw' 10
keys q d
ok "the queue is detached" shows 'look again +traintui attach runs/adamw' 10
ok "its runs are named together" shows 'all of them traintui compare runs/adafactor runs/adamw'
keys "clear; $program attach runs/adamw" Enter
ok "attach shows its run" shows '● training'
keys 7 q n
ok "a viewer steers the queue, too, and follows it" shows 'queue 3 of 3' 20
ok "run by run" shows 'lion' 5
keys q s
ok "save and stop ends the queue" wait_for 20 gone
ok "the last one is saved" stopped lion
ok "the terminal is restored" restored

keys "clear; $program configs/cmp --resume" Enter
ok "--resume goes on with the first that was cut" shows '● training'
keys 7
ok "as a queue" shows 'queue 1 of 3'
keys C-c
ok "^C ends the run and the queue" shows 'adafactor: stopped and saved' 20
ok "with status 5" status_is 5
rm -rf runs

steady_config | sed 's/^max_steps = .*/max_steps = 300/' >short.ini
printf '[sweep]\noptimizer.name = sgd, adamw\n' >>short.ini
keys "clear; $program short.ini --start" Enter
ok "a sweep goes from run to run" shows '─ short-adamw ──' 30
ok "to the last" shows '● finished +step +300/300'
keys q
ok "the last page has a line for the run before" wait_for 10 was_shown '^short-sgd: finished at step 300 of 300, sgd'
ok "status 0" status_is 0
ok "both are finished" finished short-sgd
ok "under their names" finished short-adamw
end
