#!/bin/bash
# The commands that look and do not train: what they print, what they refuse, how they exit.
# Uses $TRAINTUI and the goldens below $srcdir; writes in a temporary folder. Prints TAP.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd) || exit 1
. "$srcdir/tests/commands.sh"
golden=$srcdir/tests/golden

good() { [ "$rc" -eq 0 ] && [ ! -s err ]; }
says() { grep -qF -- "$1" out; }

# Exit status $1 and one line on stderr that holds $2.
refused() {
    [ "$rc" -eq "$1" ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "traintui: $2" err
}

# Is standard input one JSON value? Texts, then numbers and words, then arrays and objects from the
# inside out are replaced by a letter until one is left.
is_json() {
    tr '\n\t' '  ' | awk '
        { gsub(/"([^"\\]|\\.)*"/, "s")
          gsub(/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null/, "v")
          gsub(/ /, "")
          do {
              old = $0
              gsub(/\[\]|\[[sv](,[sv])*\]/, "v")
              gsub(/\{\}|\{s:[sv](,s:[sv])*\}/, "v")
          } while ($0 != old) }
        END { exit NR != 1 || $0 !~ /^[sv]$/ }'
}

# The same words, and numbers within 1e-12 of the second file's, its size counted from 1 up.
same_numbers() {
    paste -d ' ' <(grep -oE '[-a-z_0-9.+]+' "$1") <(grep -oE '[-a-z_0-9.+]+' "$2") | awk '
        function size(x) { return x < 0 ? -x : x }
        NF != 2 { exit bad = 1 }
        $1 == $2 { next }
        $1 !~ /[0-9]/ || $2 !~ /[0-9]/ { exit bad = 1 }
        size($1 - $2) > 1e-12 * (size($2) > 1 ? size($2) : 1) { exit bad = 1 }
        END { exit bad || !NR }'
}

# A config: made-up data of 60 rows, an mlp of 259 numbers, then the lines given.
config() {
    printf '[model]\ntype = mlp\nhidden = 16\n[data]\nformat = synthetic\nshape = 12\nclasses = 3\nrows = 60\n' >"$1"
    printf '%b\n' "${2-}" >>"$1"
}

# ---- help, usage ---------------------------------------------------------------------------------

run --version
good && grep -qxE 'traintui [0-9]+\.[0-9]+\.[0-9]+' out
verdict "--version prints name and number" $?

commands='train plan schedule eval predict score tokenize inspect list doctor'
run --help
good && for c in $commands; do says "traintui $c " || break; done && says "Exit status"
verdict "--help names every command" $?

ok=0
for c in $commands; do
    run "$c" --help
    good && says "usage: traintui $c" || { ok=1; break; }
done
verdict "every command has its own --help" $ok

run no-such-command
refused 2 "" && grep -q no-such-command err
verdict "an unknown command is refused by name" $?

run plan --no-such-option x.ini
refused 2 "unknown option --no-such-option"
verdict "an unknown option is refused" $?

run list models --set a.b=c
refused 2 "unknown option --set"
verdict "an option of another command is refused" $?

ok=0
for c in plan schedule score tokenize inspect list eval predict; do
    run "$c"
    refused 2 "$c needs" || { ok=1; break; }
done
verdict "a missing argument is refused" $ok

config a.ini
run plan a.ini b.ini
refused 2 '"b.ini" is one argument too many'
verdict "an argument too many is refused" $?

run plan a.ini --set
refused 2 "--set needs section.key=value"
verdict "an option without its value is refused" $?

# ---- plan ----------------------------------------------------------------------------------------

run plan a.ini
good && says "259 parameters in 4 tensors" && says "exp_avg_sq" && says "fits"
verdict "plan shows parameters, states and whether it fits" $?

run plan a.ini --json
good && is_json <out
verdict "plan --json is JSON" $?

# The value of a key of `out`, where each has a line of its own.
value() { sed -nE "s/^ *\"$1\": ([^,]*),?\$/\1/p" out | head -n 1; }

[ "$(value parameters)" = 259 ] && [ "$(value tensors)" = 4 ] && [ "$(value weight_bytes)" = 1036 ] &&
    [ "$(value optimizer)" = '"adamw"' ] && [ "$(value max_steps)" = 24 ] &&
    for key in gradient_bytes activation_bytes total_bytes free_bytes fits largest_batch; do
        [ -n "$(value $key)" ] || break
    done
verdict "plan --json counts parameters and bytes" $?

# step is 4 bytes a tensor and counted.
sed -n '/"adamw": {/,/^    }/p' out | tr -d ' \n' |
    grep -qF '"state_elements":522,"state_bytes":2088,"states":{"exp_avg":1036,"exp_avg_sq":1036,"step":16}'
verdict "plan --json has each state of the optimizer" $?

cp out plan.json
run list optimizers
ok=0
while read -r name _; do
    grep -q "^    \"$name\": {" plan.json || ok=1
done <out
verdict "plan --json has every optimizer" $ok

run plan a.ini --json --set optimizer.name=sgd --set train.batch_size=1 --set train.epochs=1.5
good && [ "$(value optimizer)" = '"sgd"' ] && [ "$(value max_steps)" = 90 ] &&
    [ "$(value state_bytes)" = 0 ]
verdict "--set stands in for the file" $?

# ---- schedule ------------------------------------------------------------------------------------

config s.ini '[optimizer]\nlr = 6e-5\n[train]\nmax_steps = 6'
run schedule s.ini
good && [ "$(head -n 1 out)" = $'step\tlearning_rate' ] && [ "$(wc -l <out)" -eq 7 ] &&
    awk -F '\t' 'NR > 1 && ($1 != NR - 1 || ($2 - (8 - NR) * 1e-5) ^ 2 > 1e-33) { exit bad = 1 }
                 END { exit bad }' out
verdict "schedule prints the rate each step uses" $?

config none.ini '[train]\nmax_steps = 5'
sed -i 's/^format.*/format = csv\ntrain = absent.csv/; /^shape/d; /^classes/d; /^rows/d' none.ini
run schedule none.ini
good && [ "$(wc -l <out)" -eq 6 ]
verdict "with max_steps schedule opens no data file" $?

sed -i '/max_steps/d' none.ini
run schedule none.ini
refused 3 "" && grep -q 'absent\.csv' err
verdict "without it a missing data file exits 3 and is named" $?

run schedule a.ini
good && [ "$(wc -l <out)" -eq 25 ]
verdict "without max_steps the data decides the length" $?

# Every golden table through the program: the rates of the run, or those after each evaluation.
tables=0 ok=0
while IFS=$'\t' read -r file options lr total _ rows _; do
    keys=$(tr ';' '\n' <<<"$options")
    if [ "$total" = - ]; then
        config g.ini "[optimizer]\nlr = $lr\n[schedule]\n$keys\n[train]\nmax_steps = 1000"
        cut -f 2 "$golden/schedules/$file" | tail -n +2 >metrics.txt
        run schedule g.ini --metrics metrics.txt
        cut -f 3 "$golden/schedules/$file" | tail -n +2 >want
        header=$'evaluation\tmetric\tlr_after'
    else
        config g.ini "[optimizer]\nlr = $lr\n[schedule]\n$keys\n[train]\nmax_steps = $total"
        run schedule g.ini
        cut -f 3 "$golden/schedules/$file" | tail -n +2 | head -n "$total" >want
        header=$'step\tlearning_rate'
    fi
    tables=$((tables + 1))
    [ "$rc" -eq 0 ] && [ "$(head -n 1 out)" = "$header" ] &&
        tail -n +2 out | awk -F '\t' '{ print $NF }' | paste want - | awk -F '\t' -v lr="$lr" '
            function size(x) { return x < 0 ? -x : x }
            NF != 2 || $2 == "" || size($1 - $2) > 1e-12 * size($1) + 1e-15 * lr { exit bad = 1 }
            END { exit bad || !NR }' || { ok=1; echo "# $file"; break; }
done < <(tail -n +2 "$golden/schedules/cases.tsv")
[ "$tables" -eq 83 ] && [ "$ok" -eq 0 ]
verdict "schedule prints all 83 golden tables" $?

config p.ini '[schedule]\nname = reduce_lr_on_plateau\n[train]\nmax_steps = 9'
run schedule p.ini
refused 2 "reduce_lr_on_plateau follows a metric: --metrics FILE"
verdict "a schedule that follows a metric asks for it" $?

printf '0.5\n0.6\n' >metrics.txt
run schedule s.ini --metrics metrics.txt
refused 2 "--metrics: linear follows no metric"
verdict "the others refuse --metrics" $?

printf '0.5\nhalf\n' >metrics.txt
run schedule p.ini --metrics metrics.txt
refused 3 'metrics.txt:2: "half" (a number)'
verdict "a metric that is no number is named by line" $?

# Decision D7: accuracy is better when larger.
printf '0.5\n0.6\n0.7\n' >metrics.txt
run schedule p.ini --metrics metrics.txt --set schedule.patience=0 --set eval.best=accuracy
good && [ "$(tail -n 1 out | cut -f 3)" = 5.0000000000000002e-05 ] &&
    run schedule p.ini --metrics metrics.txt --set schedule.patience=0 --set eval.best=loss &&
    good && [ "$(tail -n 1 out | cut -f 3)" != 5.0000000000000002e-05 ]
verdict "which way is better is the metric's" $?

run schedule s.ini --set schedule.name=greedy --metrics metrics.txt
[ "$rc" -eq 0 ] && [ "$(wc -l <out)" -eq 4 ] && [ "$(wc -l <err)" -eq 1 ] &&
    grep -q 'warning: schedule.min_lr 1.00e-03 is above optimizer.lr 6.00e-05' err
verdict "a doubtful option of a schedule is a warning" $?

run schedule s.ini --set schedule.lr_end=0
[ "$rc" -eq 0 ] && [ "$(wc -l <out)" -eq 7 ] &&
    grep -q 'warning: .* belongs to polynomial, not to linear' err
verdict "a key of another schedule is a warning" $?

config wait.ini '[schedule]\nname = reduce_lr_on_plateau\n[eval]\nevery = no'
run train wait.ini
refused 2 "wait.ini:12: reduce_lr_on_plateau needs evaluations, eval.every is no" && [ ! -e runs ]
verdict "a schedule that follows a metric needs evaluations" $?

# ---- optimizers: what does not go together, what is hardly meant ---------------------------------

refuse_start() { # text under test, lines of the config, message
    config o.ini "$2"
    for command in train plan; do
        run $command o.ini
        refused 2 "$3" && [ ! -e runs ] || { false; break; }
    done
    verdict "$1 is refused before a run begins" $?
}

refuse_start "nesterov without momentum" '[optimizer]\nname = sgd\nnesterov = yes' \
    'o.ini:11: optimizer.nesterov with optimizer.momentum = 0'
refuse_start "adafactor's lr beside relative_step" \
    '[optimizer]\nname = adafactor\nlr = 1e-3\nrelative_step = true' \
    'o.ini:12: optimizer.lr together with optimizer.relative_step = true'
refuse_start "warmup_init without relative_step" \
    '[optimizer]\nname = adafactor\nlr = 1e-3\nwarmup_init = yes' \
    'o.ini:12: optimizer.warmup_init without optimizer.relative_step'
refuse_start "muon without a matrix" '[optimizer]\nname = muon\n[group.m]\nmatch = *.weight\nfreeze = yes' \
    'o.ini:10: optimizer.name = muon with a model.type that leaves no weight matrix to train'
refuse_start "a pattern that matches nothing" '[group.m]\nmatch = *.weight,fc*\nlr_scale = 2' \
    'o.ini:10: group.m.match: "fc*" matches no tensor (first: linear.0.weight)'
refuse_start "a pattern of tensors that are taken" \
    '[group.a]\nmatch = *\n[group.b]\nmatch = *.bias' \
    'o.ini:12: group.b.match: "*.bias" matches no tensor that is left'

config o.ini '[optimizer]\nname = adam8bit\nweight_decay = 0.1\n[train]\nmax_steps = 1'
for command in plan schedule train; do
    run $command o.ini
    [ "$rc" -eq 0 ] && [ "$(grep -c 'warn.*: o.ini:11: optimizer.weight_decay with adam8bit' err)" -eq 1 ]
    verdict "$command warns of a doubtful option of an optimizer" $?
done
rm -rf runs

config o.ini '[optimizer]\nname = adafactor'
run schedule o.ini
refused 2 "o.ini: optimizer.lr is not given: adafactor makes its own rates"
verdict "an optimizer with its own rates has no schedule to print" $?

# ---- list ----------------------------------------------------------------------------------------

for what in models optimizers schedules formats metrics options; do
    run list $what
    good && [ -s out ] && lines=$(wc -l <out) && run list $what --json && good && is_json <out &&
        [ "$(grep -c '"name":' out)" -eq "$lines" ] && [ "$(grep -c '"summary":' out)" -eq "$lines" ]
    verdict "list $what, as text and as JSON" $?
done

run list schedules
good && [ "$(cut -d ' ' -f 1 out | tr '\n' ' ')" = "constant constant_with_warmup cosine\
 cosine_warmup_with_min_lr cosine_with_min_lr cosine_with_restarts greedy inverse_sqrt linear one_cycle\
 polynomial reduce_lr_on_plateau warmup_stable_decay " ]
verdict "list schedules has them all" $?

run list options
good && grep -q '^schedule\.num_cycles .*\[cosine\] (a number above 0' out &&
    grep -q '^train\.max_steps .*; live)$' out
verdict "list options tells owner, range, default, live" $?

run list nonsense
refused 2 'list "nonsense" (models, optimizers,'
verdict "list of something else is refused" $?

# ---- tokenize ------------------------------------------------------------------------------------

tiny=$golden/models/distilbert-tiny
printf 'The food was very good .\n\na[SEP]b [MASK] [mask]\nsoft' >lines.txt
printf '%s\n' '[2,63,74,66,70,71,5,3]' '[2,3]' '[2,11,3,12,4,1,23,37,55,47,1,3]' >ids.jsonl
run tokenize "$tiny" lines.txt
good && head -3 out | cmp -s - ids.jsonl && [ "$(wc -l <out)" -eq 4 ]
verdict "tokenize gives an array for every line, blank ones too" $?

run tokenize "$tiny/vocab.txt" lines.txt
head -3 out | cmp -s - ids.jsonl
verdict "tokenize takes a vocab.txt" $?

printf 'the film was bad\tthe food was bad\nthe film\n' >pairs.txt
run tokenize "$tiny" pairs.txt --pair --max-length 8
printf '%s\n' '[2,63,73,3,63,74,66,3]' '[2,63,73,3,3]' | cmp -s - out && grep -q 'cut to 8 tokens (lines: 1)' err
verdict "tokenize --pair --max-length cuts the longer one first" $?

run tokenize "$tiny" pairs.txt --pair --max-length 3
refused 2 "--max-length 3 (a whole number from 4)"
verdict "a length without room for a token is refused" $?

printf 'good \377\300 bad\0\n' >bytes.txt
run tokenize "$tiny" bytes.txt
[ "$rc" -eq 0 ] && says '[2,71,72,3]' && grep -q 'no UTF-8 left out (lines: 1)' err
verdict "bytes that are no text are left out and told" $?

mkdir -p empty
run tokenize empty lines.txt
refused 3 "empty: no vocabulary (tokenizer.json or vocab.txt)"
verdict "a folder without a vocabulary is refused" $?

# ---- score ---------------------------------------------------------------------------------------

# From a golden case: table.tsv, `want` from the scores on, `head` (the options). A regression case
# of whole numbers only would be read as classes: it gives no table.
golden_case() {
    rm -f table.tsv
    awk -v line="$1" '
        function list(key, out,    text, n, i) {
            text = substr($0, index($0, "\"" key "\": [") + length(key) + 5)
            text = substr(text, 1, index(text, "]") - 1)
            n = split(text, out, ", ")
            return text == "" ? 0 : n
        }
        NR == line {
            n = list("y_true", t); list("y_pred", p)
            for (i = 1; i <= n; i++) broken = broken || t[i] != int(t[i]) || p[i] != int(p[i])
            classes = /"kind": "classification"/
            if (!classes && !broken) exit
            printf "truth\tprediction\n" >"table.tsv"
            for (i = 1; i <= n; i++) printf "%s\t%s\n", t[i], p[i] >"table.tsv"
            match($0, /"num_labels": [0-9]+/)
            print classes ? "--labels " substr($0, RSTART + 14, RLENGTH - 14) : "" >"head"
            print substr($0, index($0, "\"samples\"")) >"want"
        }' "$golden/metrics/cases.jsonl"
    [ -f table.tsv ]
}

scored=0 ok=0
for line in $(seq "$(wc -l <"$golden/metrics/cases.jsonl")"); do
    golden_case "$line" || continue
    run score table.tsv $(cat head) --json
    tr -d '\n' <out | sed 's/.*"samples"/"samples"/' >got
    [ "$rc" -eq 0 ] && is_json <out && same_numbers got want || { ok=1; echo "# case $line"; break; }
    scored=$((scored + 1))
done
[ "$scored" -eq 29 ] && [ "$ok" -eq 0 ]
verdict "score agrees with $scored golden cases" $?

printf 'truth\tprediction\nneg\tneg\npos\tneg\npos\tpos\n' >names.tsv
run score names.tsv
good && grep -qE '^accuracy +0\.666667$' out && grep -qE '^pos +1\.000000 +0\.500000 +0\.666667 ' out &&
    grep -qE '^binary +1\.000000 +0\.500000 +0\.666667 ' out
verdict "score takes names for classes" $?

printf '\xef\xbb\xbftruth\tprediction\r\n1\t1\r\n\r\n 1.0 \t2\r\n2\t2\r\n1\t1\r\n' >whole.tsv
run score whole.tsv --json
good && tr -d ' \n' <out | grep -qF '"labels":["1","2"],"samples":4,"accuracy":0.75' &&
    tr -d ' \n' <out | grep -qF '"f1":0.80000000000000004},"mcc"'
verdict "score takes 1 and 1.0 for one class, the positive one" $?

printf 'truth\tprediction\n1\t2\n1.5\t1.5\n' >values.tsv
run score values.tsv
good && grep -qE '^mse +0\.5$' out && grep -qE '^pearson +-1$' out
verdict "score takes numbers with a fraction for values" $?

printf 'truth\tprediction\n' >empty.tsv
run score empty.tsv --labels 2 --json
[ "$rc" -eq 0 ] && is_json <out && says '"accuracy": null' && grep -q "warning: empty.tsv: no rows" err &&
    tr -d ' \n' <out | grep -qF '"undefined":{"precision":[0,1],"recall":[0,1],"f1":[0,1]}'
verdict "score of an empty table is undefined, with a warning" $?

# refuse_table NAME TEXT OPTIONS MESSAGE
refuse_table() {
    printf "$2" >bad.tsv
    run score bad.tsv $3
    refused 3 "$4"
    verdict "score refuses $1" $?
}
header='truth\tprediction\n'
refuse_table "another header" 'truth,prediction\n1,1\n' "" 'bad.tsv:1: "truth,prediction" (the header'
refuse_table "columns the other way round" 'prediction\ttruth\n1\t1\n' "" 'bad.tsv:1: "prediction truth"'
refuse_table "a short row" "${header}1\t1\n\n2\n" "" 'bad.tsv:4: 1 cell (2: truth and prediction)'
refuse_table "a long row" "${header}1\t1\t1\n" "" 'bad.tsv:2: 3 cells (2: truth and prediction)'
refuse_table "an empty cell" "${header}1\t\n" "" 'bad.tsv:2: prediction is empty'
refuse_table "the header again" "${header}1\t1\n${header}" "" 'bad.tsv:3: the header again'
refuse_table "a class outside the head" "${header}0\t1\n1\t2\n" "--labels 2" \
    'bad.tsv:3: 2 (a whole number from 0 to 1)'
refuse_table "a fraction as a class" "${header}0\t1\n1\t0.5\n" "--labels 2" \
    'bad.tsv:3: 0.5 (a whole number from 0 to 1)'
refuse_table "more names than the head has" "${header}a\tb\na\tc\n" "--labels 2" \
    'bad.tsv:3: "c" (at most 2 different classes)'
refuse_table "a negative class" "${header}0\t1\n-100\t1\n" "" 'bad.tsv:3: -100 (a class from 0 up)'
refuse_table "nan among numbers" "${header}0.5\t1\n1\tnan\n" "" 'bad.tsv:3: "nan" (a finite number)'
refuse_table "a file without text" '' "" 'bad.tsv'
refuse_table "a NUL byte" "${header}1\t\\0001\n" "" 'bad.tsv:2: a NUL byte'

run score names.tsv --labels 0
refused 2 '--labels "0" (a whole number from 1)'
verdict "score refuses a head without classes" $?

run score absent.tsv
refused 3 "" && grep -q 'absent\.tsv' err
verdict "score names a missing file" $?

# ---- inspect, doctor -----------------------------------------------------------------------------

ok=0 files=0
while IFS=$'\t' read -r file what _; do
    run inspect "$golden/safetensors/$file"
    files=$((files + 1))
    case $what in
    accept) good && [ -s out ] ;;
    reject) refused 3 "" && grep -qF -- "$file" err ;;
    esac || { ok=1; echo "# $file"; break; }
done < <(tail -n +2 "$golden/safetensors/cases.tsv")
[ "$files" -gt 50 ] && [ "$ok" -eq 0 ]
verdict "inspect shows good files and refuses bad ones" $?

run inspect "$golden/models/mlp/relu.safetensors"
good && grep -q 'tensors, .* elements' out && grep -qE '^F32 +\[[0-9,]+\]' out && says "metadata format = pt"
verdict "inspect lists metadata and tensors" $?

run doctor
good && for word in terminal locale cores memory blas "check passed" devices; do says "$word" || break; done
verdict "doctor says what works" $?

OMP_NUM_THREADS=many run doctor
[ "$rc" -eq 0 ] && says "OMP_NUM_THREADS"
verdict "doctor tells of an unusable OMP_NUM_THREADS" $?

# ---- bad configs ---------------------------------------------------------------------------------

# refuse_config NAME LINES MESSAGE: the config's own lines are 1 to 8
refuse_config() {
    config bad.ini "$2"
    run train bad.ini
    refused 2 "$3" && [ ! -e runs ]
    verdict "config: $1" $?
}
long=$(printf '%0200d' 0)
refuse_config "unknown key" '[train]\nepoch = 3' \
    'bad.ini:10: unknown key of [train] "epoch" ('
grep -q 'did you mean epochs)' err
verdict "config: the nearest key is named" $?
refuse_config "unknown section" '[trian]\nepochs = 3' 'bad.ini:10: unknown section "trian" ('
refuse_config "value out of range" '[optimizer]\nbeta1 = 1' \
    'bad.ini:10: optimizer.beta1: "1" (a number from 0 to below 1)'
refuse_config "no number" '[optimizer]\nlr = 2e-5x' 'bad.ini:10: optimizer.lr: "2e-5x" (a number'
refuse_config "no choice" '[eval]\naverage = mean' \
    'bad.ini:10: eval.average: "mean" (macro, binary, micro or weighted)'
refuse_config "unknown optimizer" '[optimizer]\nname = adamx' 'bad.ini:10: unknown optimizer "adamx" ('
refuse_config "unknown schedule" '[schedule]\nname = cosin' 'bad.ini:10: unknown schedule "cosin" ('
refuse_config "unknown metric" '[eval]\nbest = acuracy' 'bad.ini:10: '
refuse_config "duplicate key" '[train]\nepochs = 3\nepochs = 4' \
    'bad.ini:11: train.epochs is in line 10 already (once)'
refuse_config "over-long line" "[run]\nname = $long" 'bad.ini:10: line of 207 bytes (at most 190)'
refuse_config "over-long section" "[group.$long]" 'bad.ini:9: '
refuse_config "no key = value" '[train]\nepochs 3' 'bad.ini:10: "epochs 3" (key = value'
refuse_config "section without its ]" '[train\nepochs = 3' 'bad.ini:9: section without its ]'
refuse_config "indented continuation" '[run]\n  more words' 'bad.ini:10: "more words" (key = value'
refuse_config "control character" '[run]\nname = a\001b' 'bad.ini:10: control character 0x01'
refuse_config "missing key of a choice" '[schedule]\nname = warmup_stable_decay' \
    'bad.ini: schedule.num_decay_steps is missing ('
refuse_config "keys that exclude each other" '[schedule]\nwarmup_steps = 5\nwarmup_ratio = 0.1' \
    'bad.ini:11: schedule.warmup_steps and schedule.warmup_ratio are both given (one of them)'
refuse_config "rate at the end above the base rate" \
    '[optimizer]\nlr = 1e-9\n[schedule]\nname = polynomial\nlr_end = 1e-7' \
    'bad.ini:13: schedule.lr_end is 1e-07 (below optimizer.lr, 1e-09)'

printf 'type = mlp\n' >bad.ini
run train bad.ini
refused 2 'bad.ini:1: type before the first [section]'
verdict "config: key before the first section" $?

printf '[data]\nformat = synthetic\n' >bad.ini
run train bad.ini
refused 2 'bad.ini: model.type is missing ('
verdict "config: no model" $?

run train absent.ini
refused 2 "" && grep -q 'absent\.ini' err
verdict "config: missing file" $?

mkdir -p folder.ini
run train folder.ini
refused 2 "" && grep -q 'folder\.ini' err
verdict "config: a folder" $?

# refuse_set NAME ASSIGNMENT MESSAGE
refuse_set() {
    run plan a.ini --set "$2"
    refused 2 "$3"
    verdict "--set: $1" $?
}
refuse_set "no =" 'train.epochs' '--set "train.epochs" (section.key=value)'
refuse_set "no section" 'epochs=3' '--set "epochs=3" (section.key=value)'
refuse_set "unknown key" 'train.epoch=3' '--set train.epoch: unknown key of [train] "epoch" ('
refuse_set "bad value" 'train.epochs=0' '--set train.epochs: "0" (a number above 0'
refuse_set "unknown section" 'trian.epochs=3' '--set trian.epochs: unknown section "trian" ('

run plan a.ini --set optimizer.nesterov=yes
[ "$rc" -eq 0 ] && [ "$(wc -l <err)" -eq 1 ] &&
    grep -q 'warning: --set optimizer.nesterov: .* belongs to muon or sgd, not to adamw' err
verdict "a key of another optimizer is a warning that says whose it is" $?

# ---- queues --------------------------------------------------------------------------------------

config q.ini '[train]\nmax_steps = 4\n[sweep]\noptimizer.name = sgd,adamw'
run train q.ini --set run.dir=queue
[ "$rc" -eq 0 ] && grep -q '^queue: run 2 of 2, q-adamw$' err && [ -d queue/q-sgd/final ] &&
    [ -d queue/q-adamw/final ] && ! grep -q sweep queue/q-adamw/config.ini
verdict "a sweep makes one run of each value" $?

run train q.ini --set run.dir=queue
[ "$rc" -eq 0 ] && [ -d queue/q-sgd-2/final ] && [ -d queue/q-adamw-2/final ]
verdict "and again beside them" $?

rm -r queue/q-adamw queue/q-adamw-2
run train q.ini --set run.dir=queue --resume
[ "$rc" -eq 0 ] && grep -q '^queue: run 1 of 2, q-sgd: over$' err && [ -d queue/q-adamw/final ] &&
    [ ! -e queue/q-sgd-3 ]
verdict "--resume goes on where a queue ended" $?

mkdir folder.d && cp s.ini folder.d/b.ini && cp s.ini folder.d/a.ini
run train folder.d --set train.max_steps=2
[ "$rc" -eq 0 ] && [ "$(grep -c '^queue: ' err)" -eq 2 ] && [ -d runs/a/final ] && [ -d runs/b/final ]
verdict "a folder of configs is a queue" $?
rm -rf runs

run train q.ini --set run.dir=queue2 --set 'sweep.optimizer.name=sgd,adamx'
refused 2 'sweep optimizer.name: unknown optimizer "adamx"' && [ ! -e queue2 ]
verdict "a mistake in the last run is found before the first" $?

run train q.ini --set run.dir=queue3 --set 'sweep.optimizer.lr=1e6,0.1' \
    --set sweep.optimizer.name= --set optimizer.name=sgd --set train.max_grad_norm=0 \
    --set train.max_steps=60 --set schedule.name=constant --set train.max_nonfinite=1
[ "$rc" -eq 4 ] && [ -d queue3/q-0.1/final ] && [ ! -e queue3/q-1e6/final ]
verdict "a run that diverges leaves the others to go on, and its exit status stays" $?

# ---- data ----------------------------------------------------------------------------------------

printf 'x,label\n1,a\n2,b\nx,b\n' >broken.csv
printf '[model]\ntype = mlp\n[data]\nformat = csv\ntrain = broken.csv\n' >data.ini
run train data.ini
refused 3 'broken.csv:4: ' && [ ! -e runs ]
verdict "a bad row exits 3 with file and line and leaves nothing" $?

end_of_tests
