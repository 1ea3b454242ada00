#!/usr/bin/env bash
# model: CycleGAN
# framework: PaddleGAN
# repository: https://github.com/PaddlePaddle/PaddleGAN
# commit: 094a2eb926d451ad9ad56c92c6f23e2c7199df73
# licence: Apache-2.0
# gpu: fp32 tf32
# metric: iter: [0-9]+/[0-9]+ .* ips: [0-9.]+ images/s
# data: horse2zebra with its 1334 training images, in trainA and trainB
# published: none, PaddlePaddle's benchmark guide of 2019 measured another program, for Paddle Fluid
# needs: paddlepaddle-gpu 2.6, requirements.txt
set -euo pipefail
# EXTRA goes on after -o, where further values of the config may follow; a second -o would replace all before it.
: "${REPO:?}" "${DATA:=data/horse2zebra}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=1}"
: "${STEPS:=500}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=paddle.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/paddle.bash"
declare -A levels=([fp32]="fp32" [tf32]="fp32")
: "${levels[$PRECISION]:?fp32 and tf32 are possible, this model has no mixed precision}"
# The program knows epochs only, but also a part of one. Half a step less than STEPS makes it end just there.
steps_per_epoch=$(((1334 + CARDS - 1) / CARDS / BATCH_SIZE))
cd "$REPO"
# Without validate it downloads no weights for a metric that is computed every 30000 steps only.
native python "${launch[@]}" tools/main.py --config-file configs/cyclegan_horse2zebra.yaml \
  -o epochs="$((STEPS - 1)).5/$steps_per_epoch" dataset.train.batch_size="$BATCH_SIZE" \
  dataset.train.dataroot_a="$DATA/trainA" dataset.train.dataroot_b="$DATA/trainB" \
  log_config.interval="$every" output_dir="$WORK" validate=None "${extra[@]}"
