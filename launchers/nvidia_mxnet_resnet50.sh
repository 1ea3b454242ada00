#!/usr/bin/env bash
# model: ResNet50
# framework: NVIDIA MXNet
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: Apache-2.0
# gpu: fp32 tf32 amp
# metric: train\.ips : [0-9.]+
# data: synthetic, images that the program makes
# needs: NVIDIA's MXNet container 22.10, requirements.txt
# tasks: card
set -euo pipefail
: "${REPO:?}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=128}"
: "${STEPS:=500}" "${EPOCHS:=1}" "${EXTRA:=}" "${TASKS:=node}"
. "$(dirname "${BASH_SOURCE[0]}")/native.bash"
# Its float16 keeps FP32 weights in the optimizer: mixed precision.
declare -A levels=([fp32]="float32" [tf32]="float32" [amp]="float16")
level=(--dtype "${levels[$PRECISION]:?fp32, tf32 and amp are possible}")
launcher=()  # the runner starts horovodrun
if [[ $TASKS == card ]]; then
  launcher=(--launcher slurm)
elif ((NODES > 1)); then
  echo "$NODES nodes require TASKS=card, with Slurm or mpirun starting this launcher once per GPU" >&2
  exit 2
fi
cd "$REPO/MxNet/Classification/RN50v1.5"
native python runner -n "$CARDS" -b "$BATCH_SIZE" "${level[@]}" --data-backend synthetic "${launcher[@]}" \
  -e "$EPOCHS" --benchmark-iters "$(((STEPS + EPOCHS - 1) / EPOCHS))" --mode train --no-metrics \
  --dllogger-log /dev/null "${extra[@]}"
