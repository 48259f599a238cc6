#!/bin/sh
# WordNet's glosses as a data set of short English sentences: train.tsv and eval.tsv, columns text and label.
#   configs/data/wordnet-glosses.sh [FOLDER]     default data/wordnet-glosses
# One row a synset: the gloss up to its first quoted example, and the lexicographer file it is from
# (noun.animal, verb.motion ...; 45 classes). Synsets whose offset ends in 0 are for evaluation.
# Reads the files of Debian's package wordnet-base; WORDNET names another folder that has them.
set -eu

from=${WORDNET:-/usr/share/wordnet}
to=${1:-data/wordnet-glosses}

for part in noun verb adj adv; do
    if [ ! -r "$from/data.$part" ]; then
        echo "wordnet-glosses: $from/data.$part is missing (Debian package wordnet-base)" >&2
        exit 1
    fi
done
mkdir -p "$to"

LC_ALL=C awk -v train="$to/train.tsv.part" -v eval="$to/eval.tsv.part" '
BEGIN {
    files = "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute " \
        "noun.body noun.cognition noun.communication noun.event noun.feeling noun.food noun.group " \
        "noun.location noun.motive noun.object noun.person noun.phenomenon noun.plant " \
        "noun.possession noun.process noun.quantity noun.relation noun.shape noun.state " \
        "noun.substance noun.time verb.body verb.change verb.cognition verb.communication " \
        "verb.competition verb.consumption verb.contact verb.creation verb.emotion verb.motion " \
        "verb.perception verb.possession verb.social verb.stative verb.weather adj.ppl"
    split(files, name, " ")
    print "text\tlabel" >train
    print "text\tlabel" >eval
}
/^[0-9]/ {
    text = substr($0, index($0, " | ") + 3)
    quote = index(text, "\"")
    if (quote)
        text = substr(text, 1, quote - 1)
    gsub(/\t/, " ", text)
    sub(/^ +/, "", text)
    sub(/[ ;:,]+$/, "", text)
    if (text != "")
        print text "\t" name[$2 + 1] >($1 ~ /0$/ ? eval : train)
}' "$from/data.noun" "$from/data.verb" "$from/data.adj" "$from/data.adv"

mv "$to/train.tsv.part" "$to/train.tsv"
mv "$to/eval.tsv.part" "$to/eval.tsv"
echo "wordnet-glosses: $(($(wc -l <"$to/train.tsv") - 1)) rows in $to/train.tsv," \
    "$(($(wc -l <"$to/eval.tsv") - 1)) in $to/eval.tsv"
