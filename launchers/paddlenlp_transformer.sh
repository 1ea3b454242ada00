#!/usr/bin/env bash
# model: Transformer-big
# framework: PaddleNLP
# repository: https://github.com/PaddlePaddle/PaddleNLP
# commit: 60b9755f70f2030a02661543a670169c8fc43c30
# licence: Apache-2.0
# gpu: fp32 tf32 amp fp16
# metric: step_idx: [0-9]+,.* ips: [0-9.]+ words/sec
# data: PaddleNLP's home, with datasets/WMT14ende/WMT14.en-de in it, which is downloaded where it is missing
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/Transformer/README.md
# needs: paddlepaddle-gpu 2.6, requirements.txt, huggingface_hub 0.23, easydict
set -euo pipefail
# BATCH_SIZE counts the tokens of a batch. The config sets a line every 100 steps and where checkpoints go, as seen from
# the current folder; no option changes either.
: "${REPO:?}" "${DATA:=.paddlenlp}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=4096}"
: "${STEPS:=2000}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=paddlenlp.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/paddlenlp.bash"
example=$REPO/examples/machine_translation/transformer
[[ $DATA == /* ]] || DATA=$REPO/$DATA
cd "$REPO"
# Steps count from 0 and the last one is included, so one more is trained than STEPS says.
native env --chdir "$WORK" "${env[@]}" PPNLP_HOME="$DATA" python "${launch[@]}" "$example/train.py" \
  --config "$example/configs/transformer.big.yaml" --max_iter "$STEPS" --batch_size "$BATCH_SIZE" \
  "${level[@]}" "${extra[@]}"
