#!/bin/sh
# configs/data/wordnet-glosses.sh: rows, classes, columns. TAP; skipped without Debian's wordnet-base.
set -eu
top=${srcdir:-.}

echo 1..3
if [ ! -r "${WORDNET:-/usr/share/wordnet}/data.noun" ]; then
    for n in 1 2 3; do
        echo "ok $n # SKIP wordnet-base is not installed"
    done
    exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$top/configs/data/wordnet-glosses.sh" "$dir" >/dev/null

check() { # number, name, what it is, what it must be
    if [ "$3" = "$4" ]; then
        echo "ok $1 - $2"
    else
        echo "not ok $1 - $2"
        echo "# is $3, must be $4"
    fi
}
check 1 "rows" "$(cat "$dir/train.tsv" "$dir/eval.tsv" | wc -l)" 117661
check 2 "classes" "$(tail -q -n +2 "$dir/train.tsv" "$dir/eval.tsv" | cut -f 2 | sort -u | wc -l)" 45
check 3 "two columns, no empty text" \
    "$(awk -F '\t' 'NF != 2 || $1 == "" || index($1, "\"")' "$dir/train.tsv" "$dir/eval.tsv" | wc -l)" 0
