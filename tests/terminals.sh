#!/bin/bash
# The console under every kind of terminal that it may meet: what TERM, locale and size make of it. tmux is the
# terminal behind each of them. Prints TAP; skips without tmux.
# environment: TRAINTUI (the program; default ./traintui)
set -u
. "$(dirname "$0")/tmux.sh"

braille=$'\xe2[\xa0-\xa3]'
# start ENVIRONMENT...: the program's run on a fresh screen; all that it sends is kept in ./sent.
start() {
    keys clear Enter
    shows '^\$ *$'
    rm -f sent pid
    tmux_ pipe-pane -t "=$session:" "cat >sent"
    keys "env $* sh -c 'echo \$\$ >pid; exec \"\$0\" configs/steady.ini --start' $program" Enter
}
stop() {
    shows 'training +step'
    keys q
    shows 'leave steady' 10
    keys x
    shows 'stopped at step' 20
    tmux_ pipe-pane -t "=$session:"
}
# One line with the way out, and nothing is drawn.
refused_in_terminal() {
    keys "clear; env $* $program configs/steady.ini; echo status=\$?" Enter
    shows 'no screen can be drawn' 5 && shows 'status=2' 5
}

mkdir "$dir/configs"
steady_config >"$dir/configs/steady.ini"
cd "$dir" || exit 1
terminal t || { echo "1..0 # SKIP tmux gives no shell"; exit 77; }

for type in xterm-256color xterm screen tmux-256color linux vt100; do
    if ! infocmp "$type" >/dev/null 2>&1; then
        echo "# $type is not in this machine's terminfo"
        continue
    fi
    start TERM=$type
    ok "$type: a run starts" shows '^ (●|\*) training +step'
    keys 2
    ok "$type: views open" shows '\[2 loss\]' 5
    ok "$type: no sequence is left on the screen" eval '! screen | grep -qE "\[[0-9;]*[mHJK]|\(B"'
    stop
    ok "$type: the terminal is as before" restored
done

for type in xterm-ghostty-of-tomorrow nonsense; do
    start TERM=$type
    ok "unknown $type: it is said what it is taken for" \
        shows "TERM=$type is unknown on this machine; treated as xterm" 10
    ok "unknown $type: a run starts" shows '^ (●|\*) training +step'
    stop
    ok "unknown $type: the terminal is as before" restored
done

ok "TERM=dumb is refused" refused_in_terminal TERM=dumb
ok "an empty TERM is refused" refused_in_terminal TERM=
ok "no TERM is refused" refused_in_terminal -u TERM
keys clear Enter

start TERM=xterm-256color LC_ALL=C
ok "no UTF-8: a run starts" shows '^ \* training +step'
keys 4 7 8 9 d 2
ok "no UTF-8: views open" shows '\[2 loss\]' 5
stop
ok "no UTF-8: no byte above 127 is sent" eval '[ -s sent ] && ! LC_ALL=C grep -qa "[^ -~[:cntrl:]]" sent'

start TERM=xterm-256color LC_ALL=de_XX.UTF-8
ok "a locale that is not installed: a run starts" shows '^ (●|\*) training +step'
stop

start TERM=linux
ok "the console's own font: blocks, no dots of braille" eval 'shows "^ . training +step" && ! screen | LC_ALL=C grep -qa "$braille"'
stop

start TERM=xterm-256color NO_COLOR=1
ok "NO_COLOR: a run starts" shows '^ ● training +step'
keys 2 4 1
ok "NO_COLOR: views open" shows '\[1 overview\]' 5
stop
ok "NO_COLOR: no colour is sent" \
    eval '[ -s sent ] && ! grep -qaE "'$'\033''\[([0-9]+;)*(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;[0-9]+)*m" sent'

start TERM=xterm-256color
stop
ok "dots of braille elsewhere" eval 'LC_ALL=C grep -qa "$braille" sent'
ok "without it some are" grep -qaE $'\033''\[([0-9]+;)*3[0-8](;[0-9]+)*m' sent

keys 'clear; stty rows 0 cols 0' Enter
start TERM=xterm-256color
ok "a size of 0x0 does not matter" shows '^ ● training +step'
stop
keys 'clear; stty rows 24 cols 80' Enter
ok "and the terminal is as before" restored

for signal in ABRT BUS FPE ILL; do
    start TERM=tmux-256color
    shows 'training +step'
    kill -$signal "$(cat pid)"
    ok "SIG$signal: a crash is told" shows "crashed, SIG$signal" 30
    ok "SIG$signal: the terminal is as before" restored
done

keys "clear; TERM=linux $program doctor | cat; TERM=linux $program doctor" Enter
ok "doctor: the font of the console" shows '^glyphs +block: TERM is linux'
ok "doctor: colours and size" eval "shows '^terminal +TERM linux; 80x24, a screen is possible' && shows '^colours +8$'"
keys "clear; TERM=dumb NO_COLOR=1 LC_ALL=C $program doctor" Enter
ok "doctor: what can't be, and why" eval "shows '^terminal +TERM dumb; 80x24, no screen with this TERM' &&
    shows '^colours +none: NO_COLOR is set' && shows '^glyphs +ascii: the locale has no UTF-8'"
keys "clear; TERM=xterm-of-tomorrow $program doctor" Enter
ok "doctor: a TERM that is not known" shows 'unknown here, taken for xterm-256color'
end
