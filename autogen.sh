#!/bin/sh
# Makes configure and Makefile.in from their sources. Needs autoconf, automake and pkg-config.
set -e
cd "$(dirname "$0")"
exec autoreconf --install --warnings=all
