#!/bin/sh
# From a fresh checkout to a running or tested program.
#   ./bootstrap.sh run [CONFIG [ARG]...]   install what is missing, build, start the console
#   ./bootstrap.sh check                   install what is missing, build, run the tests
#   ./bootstrap.sh packages                only install what is missing
# CC, CFLAGS and CONFIGURE_ARGS from the environment reach configure.
set -eu
cd "$(dirname "$0")"

REQUIRED="build-essential autoconf automake pkg-config libncurses-dev libopenblas-openmp-dev
    libinih-dev libjansson-dev libcmocka-dev zlib1g-dev libutf8proc-dev"
OPTIONAL="dataset-fashion-mnist wordnet-base tmux"

say() {
    echo "bootstrap: $*" >&2
}

missing() {
    for package in "$@"; do
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
        *" installed") ;;
        *) echo "$package" ;;
        esac
    done
}

apt() {
    if [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null >&2
    else
        sudo DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >&2
    fi
}

# Package lists are fetched only when they do not know a package.
refresh_lists() {
    for package in "$@"; do
        apt-cache show "$package" >/dev/null 2>&1 || { apt update || true; return; }
    done
}

install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "this is no Debian; these of its packages, or what they hold, are needed:" $REQUIRED
        say "and these are good to have:" $OPTIONAL
        return
    fi
    required=$(missing $REQUIRED)
    optional=$(missing $OPTIONAL)
    [ -n "$required$optional" ] || return 0
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        say "not root and no sudo; as root run: apt-get install" $required $optional
        [ -z "$required" ] || exit 1
        return 0
    fi
    say "installing" $required $optional
    refresh_lists $required $optional
    [ -z "$required" ] || apt install --no-install-recommends $required ||
        { apt update && apt install --no-install-recommends $required; }
    for package in $optional; do
        apt install --no-install-recommends "$package" || say "going on without $package"
    done
}

# make itself renews configure and the makefile later on. Other flags than last time: all anew.
build() {
    [ -x configure ] || ./autogen.sh
    before=$(./config.status --config 2>/dev/null) || before=
    if [ -z "$before" ] || [ -n "${CC-}${CFLAGS-}${CONFIGURE_ARGS-}" ]; then
        ./configure -q ${CONFIGURE_ARGS-}
        [ -z "$before" ] || [ "$before" = "$(./config.status --config)" ] || make -s clean
    fi
    make -s -j"$(nproc 2>/dev/null || echo 2)"
}

# The last line is `N passed, N failed`, also when make has more to say.
check() {
    rm -f tests/logs/summary
    make -s --no-print-directory check && return
    status=$?
    [ ! -f tests/logs/summary ] || cat tests/logs/summary
    return $status
}

case ${1-} in
run)
    shift
    install_packages
    build
    [ $# -gt 0 ] || set -- configs/quickstart.ini
    exec ./traintui "$@"
    ;;
check)
    install_packages
    build
    check
    ;;
packages)
    install_packages
    ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
