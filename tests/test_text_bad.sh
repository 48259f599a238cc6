#!/bin/bash
# Text runs that a user gets wrong: files, ids, vocabularies and model directories. Each is one line with
# the row or the tensor, the right exit status, and no run begun. Then what is odd and still right.
# Uses $TRAINTUI and the goldens below $srcdir; writes in a temporary folder. Prints TAP.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd) || exit 1
. "$srcdir/tests/commands.sh"
models=$srcdir/tests/golden/models

# refused NAME STATUS MESSAGE COMMAND...: one line on stderr, and no run directory.
refused() {
    local name=$1 status=$2 message=$3
    shift 3
    rm -rf runs
    run "$@"
    [ "$rc" -eq "$status" ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$message" err && [ ! -e runs ]
    verdict "$name" $?
}

accepted() {
    local name=$1
    shift
    run "$@"
    verdict "$name" "$rc"
}

# 24 rows of seven words; LABELS: one JSON value for each row in turn, by blanks.
texts() {
    awk -v labels="$1" 'BEGIN {
        n = split(labels, label, " ")
        split("good bad film cat dog red blue", word, " ")
        for (i = 0; i < 24; i++) {
            text = "the"
            for (k = 1; k < 3 + i % 9; k++)
                text = text " " word[1 + (i * k + k) % 7]
            printf "{\"text\":\"%s\",\"label\":%s}\n", text, label[1 + i % n]
        } }'
}

texts '"neg" "pos"' >two.jsonl
texts '["a"] ["a","b"] [] ["c"]' >several.jsonl
texts '0.25 -1.5 3' >numbers.jsonl
texts '-100' >none.jsonl
cat >t.ini <<'END'
[run]
name = r
threads = 1
[model]
type = distilbert
dim = 32
n_layers = 2
n_heads = 4
hidden_dim = 64
max_position_embeddings = 32
[data]
train = two.jsonl
max_length = 16
[train]
epochs = 2
batch_size = 4
END

# ---- rows ----------------------------------------------------------------------------------------

printf '{"text":"good","label":"pos"}\n{"text":"good","label":"meh"}\n' >unseen.jsonl
refused "a label that training has not" 3 'unseen.jsonl:2: label "meh" (neg or pos)' \
    train t.ini --set data.eval=unseen.jsonl
refused "no row has a label" 3 'none.jsonl: none of 24 rows has a label' \
    train t.ini --set data.train=none.jsonl
{ cat two.jsonl; echo '{"input_ids":[2,99999,3],"label":"pos"}'; } >ids.jsonl
refused "an id beyond the table" 3 'ids.jsonl:25: token id 99999 (0 to 89)' \
    train t.ini --set data.train=ids.jsonl --set model.vocab_size=90
{ cat two.jsonl; echo '{"text":5,"label":"pos"}'; } >number.jsonl
refused "a text that is none" 3 'number.jsonl:25: key "text" holds a number (a string)' \
    train t.ini --set data.train=number.jsonl
printf '{"text":"\xff","label":"pos"}\n' >bytes.jsonl
refused "bytes that are no UTF-8" 3 'bytes.jsonl:1:' train t.ini --set data.train=bytes.jsonl

{ cat two.jsonl; printf '{"text":"'; head -c 10000000 /dev/zero | tr '\0' x; echo '","label":"pos"}'; } >long.jsonl
accepted "a line of 10 MB is one unknown word" train t.ini --set data.train=long.jsonl --set run.name=long
printf '{"text":"","label":0}\n{"text":" \\t ","label":1}\n' >empty.jsonl
accepted "texts of nothing are texts" train t.ini --set data.train=empty.jsonl --set run.name=empty

refused "a text that is the label" 2 'data.label and data.text are one key (two)' \
    train t.ini --set data.text=label

# ---- the model -----------------------------------------------------------------------------------

refused "heads that do not divide the width" 2 'model.n_heads: 3 does not divide model.dim, 32' \
    train t.ini --set model.n_heads=3
cp "$models/distilbert-tiny/vocab.txt" v.txt
for command in train plan; do
    refused "$command: a table smaller than the vocabulary" 2 \
        'model.vocab_size: 60, the vocabulary has 120 entries' \
        $command t.ini --set tokenizer.vocab=v.txt --set model.vocab_size=60
done

cat >p.ini <<'END'
[run]
name = r
[model]
pretrained = M
[data]
train = two.jsonl
[train]
epochs = 1
END
fresh() {
    rm -rf M
    cp -r "$models/distilbert-tiny" M
    chmod -R u+w M
}

fresh
truncate -s -100 M/model.safetensors
refused "weights cut short" 3 'M/model.safetensors: file of 101040 bytes' train p.ini
truncate -s 100 M/model.safetensors
refused "a header cut short" 3 'M/model.safetensors: header of 4352 bytes' train p.ini
fresh
sed -i 's/"hidden_dim": 64/"hidden_dim": 65/' M/config.json
refused "a tensor of another shape" 3 'ffn.lin1.weight is [64, 32], the model'"'"'s is [65, 32]' train p.ini
fresh
sed -i 's/"vocab_size": 120/"vocab_size": 40/' M/config.json
refused "a vocabulary larger than the model's table" 2 'model.vocab_size: 40' train p.ini
fresh
rm M/vocab.txt M/tokenizer*.json
refused "no such model directory" 2 'no directory absent, and model.type is missing' \
    train p.ini --set model.pretrained=absent
refused "no vocabulary" 3 'M: no vocabulary (tokenizer.json or vocab.txt)' train p.ini

# ---- plan reads what is there --------------------------------------------------------------------

# Parameters that `plan` counts.
counts() {
    run plan "${@:2}" --json
    [ "$rc" -eq 0 ] && grep -q "\"parameters\": $1," out
}
counts 24162 p.ini
verdict "plan needs no vocabulary where config.json gives its size" $?
rm M/model.safetensors
counts 24162 p.ini
verdict "plan needs no weights" $?
refused "train does" 3 'M: no model.safetensors' train p.ini --set tokenizer.vocab=v.txt
counts 23138 t.ini --set tokenizer.vocab=v.txt
verdict "plan with a vocabulary only" $?
counts 23138 t.ini --set model.vocab_size=120
verdict "plan with its size only" $?

# ---- several labels, numbers: stopped, gone on with, asked ---------------------------------------

for kind in several numbers; do
    set -- t.ini --set data.train=$kind.jsonl --set data.eval=$kind.jsonl
    run train "$@" --set run.name=$kind-whole
    ended=$rc
    run train "$@" --set run.name=$kind
    rm -rf runs/$kind/final runs/$kind/checkpoints/step-12
    run train "$@" --set run.name=$kind --resume
    [ "$ended$rc" = 00 ] && cmp -s runs/$kind-whole/final/model.safetensors runs/$kind/final/model.safetensors &&
        cmp -s runs/$kind-whole/final/vocab.txt runs/$kind/final/vocab.txt
    verdict "$kind: resumed from half way with the learnt vocabulary, the same to the byte" $?
    accepted "$kind: eval" eval $kind
    run predict $kind $kind.jsonl --json
    [ "$rc" -eq 0 ] && [ "$(wc -l <out)" -eq 24 ] && ! grep -qv '^{"row":[0-9]*,"label":.*,"logits":\[.*\]}$' out
    verdict "$kind: predict --json answers every row" $?
done

end_of_tests
