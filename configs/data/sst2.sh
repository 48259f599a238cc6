#!/bin/sh
# SST-2, sentences of film reviews (GLUE): train.tsv and dev.tsv, columns sentence and label. Needs curl,
# unzip and the network.
#   configs/data/sst2.sh [FOLDER]     default data/sst2
set -eu

to=${1:-data/sst2}
mkdir -p "$to"
curl -fL -o "$to/SST-2.zip" https://dl.fbaipublicfiles.com/glue/data/SST-2.zip
unzip -oj "$to/SST-2.zip" SST-2/train.tsv SST-2/dev.tsv -d "$to"
rm "$to/SST-2.zip"
