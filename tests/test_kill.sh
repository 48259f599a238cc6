#!/bin/bash
# kill -9 at any moment, also in the middle of a checkpoint: the run goes on from its last whole one and
# ends with the weights and the metrics of an unbroken run, byte for byte (times aside).
# Uses $TRAINTUI; writes in a temporary folder. Prints TAP.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd) || exit 1
. "$srcdir/tests/commands.sh"

ok() {
    local what=$1
    shift
    "$@"
    verdict "$what" $?
}

config() {
    cat >"$1.ini" <<END
[model]
type = mlp
hidden = 64,32
[data]
format = synthetic
shape = 30
rows = 3000
[optimizer]
name = $2
lr = 1e-3
[train]
epochs = 4
batch_size = 20
[eval]
every = 70
best = accuracy
[checkpoint]
every = 7
END
}

# The same of texts, whose vocabulary is learnt when the run begins.
text_config() {
    config "$1" adamw
    awk 'BEGIN {
        split("good bad film cat dog red blue", word, " ")
        for (i = 0; i < 1200; i++) {
            text = "the"
            for (k = 1; k < 3 + i % 9; k++)
                text = text " " word[1 + (i * k + k) % 7]
            printf "{\"text\":\"%s\",\"label\":%d}\n", text, i % 2
        } }' >texts.jsonl
    sed -i -e 's/^type = .*/type = distilbert\ndim = 32\nn_layers = 2\nn_heads = 4/' \
        -e 's/^hidden = .*/hidden_dim = 64/' \
        -e 's/^format = .*/train = texts.jsonl\neval_fraction = 0.1/' \
        -e '/^shape/d; /^rows/d' "$1.ini"
}

# Lines of metrics without what a clock says.
metrics() {
    sed -E 's/"(samples_per_second|tokens_per_second|eval_runtime)":[^,}]*//g' "$1/metrics.jsonl" | grep '^{"step"'
}

same() {
    cmp -s "runs/$1/final/model.safetensors" "runs/$2/final/model.safetensors" &&
        [ "$(metrics "runs/$1")" = "$(metrics "runs/$2")" ]
}

steps_of() {
    ls "runs/$1/checkpoints" 2>/dev/null | grep -c '^step-'
}

# Kill it after MILLISECONDS, a few times, then let it end.
broken() {
    local name=$1 pid started=
    shift
    for ms in "$@"; do
        "$TRAINTUI" train "$name.ini" --set run.name="$name-broken" ${started:+--resume} >/dev/null 2>err &
        pid=$!
        sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        [ "$(steps_of "$name-broken")" -gt 0 ] && started=yes || rm -rf "runs/$name-broken"
    done
    "$TRAINTUI" train "$name.ini" --set run.name="$name-broken" ${started:+--resume} >/dev/null 2>err
}

for optimizer in adamw adamw8bit sgd text; do
    if [ $optimizer = text ]; then text_config text; else config "$optimizer" $optimizer; fi
    "$TRAINTUI" train $optimizer.ini >/dev/null 2>err
    ok "$optimizer: the unbroken run" [ $? -eq 0 ]
    ok "$optimizer: killed four times" broken $optimizer $((150 + RANDOM % 100)) $((130 + RANDOM % 150)) \
        $((120 + RANDOM % 200)) $((140 + RANDOM % 100))
    ok "$optimizer: weights and metrics of the unbroken run" same $optimizer $optimizer-broken
    ok "$optimizer: nothing half is left" [ -z "$(find runs -name '.tmp-*')" ]
done

ok "text: the learnt vocabulary of the unbroken run" \
    cmp -s runs/text/final/vocab.txt runs/text-broken/final/vocab.txt

# A checkpoint cut short by the kill is not there for a resume.
config half adamw
"$TRAINTUI" train half.ini --set train.max_steps=40 >/dev/null 2>err
mkdir runs/half/checkpoints/.tmp-step-999
head -c 100 runs/half/final/model.safetensors >runs/half/checkpoints/.tmp-step-999/model.safetensors
"$TRAINTUI" train half.ini --resume --set train.max_steps=50 >out 2>err
ok "half a checkpoint is swept away" [ ! -e runs/half/checkpoints/.tmp-step-999 ]
ok "and the run goes on from the last whole one" grep -q 'resumed at step 40' err

end_of_tests
