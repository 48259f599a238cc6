#!/bin/bash
# The console over SSH: a real sshd on a port of its own, a connection that is cut, and the run that is
# found again with its whole curve. Prints TAP; skips where there is no sshd, or it lets nobody in.
# environment: TRAINTUI (the program; default ./traintui), SSHD (default: sshd of /usr/sbin)
set -u
. "$(dirname "$0")/tmux.sh"

skip() {
    echo "1..0 # SKIP $1"
    exit 77
}
sshd=${SSHD:-$(PATH=$PATH:/usr/sbin:/sbin command -v sshd)}
[ -x "$sshd" ] && command -v ssh ssh-keygen >/dev/null || skip "no sshd, ssh or ssh-keygen"

cd "$dir" || exit 1
steady_config | sed 's/^every = 500/every = 20000/' >steady.ini
ssh-keygen -q -t ed25519 -N '' -f host_key && ssh-keygen -q -t ed25519 -N '' -f key || skip "no keys"
port=$((20000 + $$ % 20000))
cat >sshd_config <<END
Port $port
ListenAddress 127.0.0.1
HostKey $dir/host_key
AuthorizedKeysFile $dir/key.pub
PidFile $dir/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PrintMotd no
PrintLastLog no
END
made=$([ "$(id -u)" = 0 ] && mkdir /run/sshd 2>/dev/null && echo /run/sshd)
"$sshd" -D -f sshd_config -E sshd.log &
daemon=$!
end_daemon() {
    connections_cut
    kill "$daemon" 2>/dev/null
    [ -z "$made" ] || rmdir "$made"
    finish
}
trap end_daemon EXIT

client="ssh -F none -p $port -i $dir/key -o IdentitiesOnly=yes -o StrictHostKeyChecking=no"
client="$client -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes 127.0.0.1"
lets_in() { $client true 2>/dev/null; }
wait_for 5 lets_in || skip "sshd lets nobody in: $(tail -1 sshd.log)"

# What a dropped line does to the machine: the server's end of it is gone at once.
connections_cut() {
    local p
    for p in /proc/[0-9]*; do
        [ "$(process_field "${p#/proc/}" 2)" = "$daemon" ] && kill -KILL "${p#/proc/}"
    done
}
ssh_has_ended() { [ "$(field pane_current_command)" = bash ]; }
there() { # there ARGUMENTS: the program in a terminal over SSH
    keys "clear; $client -t 'cd $dir && LC_ALL=C.UTF-8 TERM=xterm-256color $program $*'" Enter
}

terminal t || skip "tmux gives no shell"
there steady.ini --start --set run.name=far
ok "a run begins over SSH" shows '● training'
for view in '2 loss' '4 memory' '8 system' '1 overview'; do
    keys "${view%% *}"
    ok "view $view" shows "\\[$view\\]" 5
done
connections_cut
ok "the connection is gone" wait_for 15 ssh_has_ended
ok "the run goes on" goes_on far
there attach far
ok "attach finds it" shows '^ ● training'
ok "steps go on" steps_on
ok "with its whole curve" shows '└┬0' 5
keys 9 g
ok "and its whole log" shows 'mlp: 203,530 parameters' 5
connections_cut
ok "a viewer's connection is gone, too" wait_for 15 ssh_has_ended
ok "and the run goes on" goes_on far
there attach far
ok "again" shows '^ ● training'
keys q d
ok "the shell over there has its prompt" shows 'goes on at step'
ok "its run goes on" goes_on far
there attach far
shows '^ ● training'
keys q s
ok "save and stop" shows 'stopped and saved at step'

end
