#!/bin/bash
# A model to start from: its head stays where the labels allow, gets new where not, and data that it was
# not made for is refused. Then numbers and several labels a row: trained, stopped, gone on with, asked.
# Uses $TRAINTUI; writes in a temporary folder. Prints TAP.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd) || exit 1
. "$srcdir/tests/commands.sh"

# Rows a,b,label of classes by commas, told apart by their numbers.
rows() {
    echo a,b,label
    awk -v classes="$1" 'BEGIN {
        k = split(classes, name, ",")
        srand(7)
        for (i = 0; i < 60; i++) {
            j = i % k
            printf "%.3f,%.3f,%s\n", j + rand(), 2 * j - rand(), name[j + 1]
        } }'
}

rows x,y,z >xyz.csv
rows z,x >zx.csv
rows p,q >pq.csv
awk -F, '{ print $2 "," $1 "," $3 }' xyz.csv >swapped.csv
awk -F, 'NR == 1 { print; next } { print $1 "," $2 "," 1.5 * $1 + 0.25 }' xyz.csv >numbers.csv
awk -F, 'NR > 1 {
    several = $3 == "x" ? "\"low\"" : $3 == "y" ? "\"low\",\"high\"" : "\"high\""
    print "{\"a\":" $1 ",\"b\":" $2 ",\"label\":[" several "]}" }' xyz.csv >several.jsonl
cat >m.ini <<'END'
[model]
type = mlp
hidden = 8
[data]
train = xyz.csv
eval_fraction = 0.2
[optimizer]
lr = 0.01
[schedule]
name = constant
[train]
max_steps = 60
END

run train m.ini
verdict "the model to start from" $rc

from() {
    name=$1
    shift
    run train m.ini --set model.pretrained=runs/m/final --set run.name="$name" --set train.max_steps=5 "$@"
}

labels() { tr -d ' \n' <"runs/$1/final/config.json" | grep -o '"id2label":{[^}]*}'; }

from kept --set data.train=zx.csv
[ $rc -eq 0 ] && grep -q 'its head stays: x, y or z' err &&
    [ "$(labels kept)" = '"id2label":{"0":"x","1":"y","2":"z"}' ]
verdict "labels among its own: the head stays, in its order" $?

from new --set data.train=pq.csv
[ $rc -eq 0 ] && grep -q 'a new head: p or q' err && [ "$(labels new)" = '"id2label":{"0":"p","1":"q"}' ]
verdict "other labels: a new head" $?

from wrong --set data.train=swapped.csv
[ $rc -eq 3 ] && grep -q 'columns of runs/m/final in another order' err && [ ! -e runs/wrong ]
verdict "columns in another order are refused" $?

from ordered --set data.train=swapped.csv --set data.features=a,b
verdict "and taken when data.features puts them right" $rc

from wrong --set data.train=numbers.csv
[ $rc -eq 3 ] && grep -q 'problem_type is single_label_classification, the labels of numbers.csv are for regression' err
verdict "numbers are not for a classifier" $?

from wrong --set model.hidden=9
[ $rc -ne 0 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'linear.0.weight is \[8, 2\]' err && [ ! -e runs/wrong ]
verdict "another shape is refused by its name" $?

# ---- numbers, several labels ---------------------------------------------------------------------

# Twice thirty updates are sixty.
two_parts() {
    run train m.ini --set data.train="$2" --set run.name="$1-whole" &&
        run train m.ini --set data.train="$2" --set run.name="$1" --set train.max_steps=30 &&
        run train m.ini --set data.train="$2" --set run.name="$1" --resume &&
        cmp -s "runs/$1/final/model.safetensors" "runs/$1-whole/final/model.safetensors"
}

two_parts numbers numbers.csv
verdict "regression: 30 and 30 updates are 60, byte for byte" $?
run eval numbers
[ $rc -eq 0 ] && grep -q eval_mse out && grep -q eval_spearman out
verdict "regression: eval" $?
run predict numbers xyz.csv --json
[ $rc -eq 0 ] && [ "$(wc -l <out)" -eq 60 ] && grep -qE '^\{"row":1,"label":-?[0-9.e-]+,"logits":\[' out
verdict "regression: predict gives numbers" $?

two_parts several several.jsonl
verdict "several labels: 30 and 30 updates are 60, byte for byte" $?
run eval several
[ $rc -eq 0 ] && grep -q eval_accuracy out
verdict "several labels: eval" $?
run predict several several.jsonl --json
[ $rc -eq 0 ] && [ "$(wc -l <out)" -eq 60 ] && grep -q '"label":\["high","low"\]' out
verdict "several labels: predict gives lists" $?

end_of_tests
