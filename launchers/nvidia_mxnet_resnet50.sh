#!/usr/bin/env bash
# model: ResNet50
# framework: NVIDIA MXNet
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: Apache-2.0
# gpu: fp32 tf32 amp
# metric: train\.ips : [0-9.]+
# data: ImageNet as RecordIO, as scripts/prepare_imagenet.sh makes it
# synthetic: images that the program makes
# case: dali=$DALI
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/ResNet50V1.5/OtherReports/MxNet/scripts/mxnet_test_all.sh
# needs: NVIDIA's MXNet container 22.10, requirements.txt
# tasks: card
set -euo pipefail
: "${REPO:?}" "${DATA:=/data/imagenet/train-val-recordio-passthrough}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}"
: "${BATCH_SIZE:=256}" "${STEPS:=1500}" "${EPOCHS:=3}" "${DALI:=on}" "${EXTRA:=}" "${TASKS:=node}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
# Its float16 keeps FP32 weights in the optimizer: mixed precision.
declare -A levels=([fp32]="float32" [tf32]="float32" [amp]="float16") loaders=([on]="dali-gpu" [off]="mxnet")
level=(--dtype "${levels[$PRECISION]:?fp32, tf32 and amp are possible}")
loader=${loaders[$DALI]:?on and off are possible}
iterations=$(((STEPS + EPOCHS - 1) / EPOCHS))
[[ $DATA == /* || $DATA == synthetic ]] || DATA=../../../$DATA  # it is seen from REPO
data=(--data-backend "$loader" --data-root "$DATA")
[[ $DATA != synthetic ]] || data=(--data-backend synthetic)
both=(-n "$CARDS" -b "$BATCH_SIZE" "${level[@]}" -e "$EPOCHS" --mode train "${data[@]}" --num-examples 32000 \
  --workspace "$WORK")
cd "$REPO/MxNet/Classification/RN50v1.5"
if [[ $TASKS == card ]]; then
  native python runner "${both[@]}" --launcher slurm --benchmark-iters "$iterations" --no-metrics "${extra[@]}"
elif ((NODES > 1)); then
  echo "$NODES nodes require TASKS=card, with Slurm or mpirun starting this launcher once per GPU" >&2
  exit 2
else
  # It starts the runner, and that horovodrun; its report leaves out the first epoch.
  native python benchmark.py "${both[@]}" -i "$iterations" -w "$((EPOCHS > 1))" -o "$WORK/report.json" "${extra[@]}"
fi
