#!/usr/bin/env bash
# model: YOLO11n
# framework: Ultralytics
# repository: https://github.com/ultralytics/ultralytics
# commit: 8b40338ade349cabbc020fb7b5527c78ae8a84c6
# licence: AGPL-3.0
# gpu: fp32 tf32 amp
# cpu: fp32
# metric: [0-9]+/[0-9]+ .* [0-9.]+(?:it/s|s/it)
# data: COCO as Ultralytics lays it out, with its data.yaml
# published: none, Ultralytics publishes accuracies, and speeds of inference only
# needs: torch, torchvision, ultralytics of the checkout
set -euo pipefail
: "${REPO:?}" "${DATA:=datasets/coco}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=amp}" "${BATCH_SIZE:=16}"
: "${STEPS:=500}" "${EPOCHS:=1}" "${DEVICE:=gpu}" "${EXTRA:=}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([fp32]="amp=False" [tf32]="amp=False" [amp]="amp=True")
level=${levels[$PRECISION]:?fp32, tf32 and amp are possible}
if ((NODES > 1)); then
  echo "$NODES nodes are not possible: the program starts its processes itself, on one node" >&2
  exit 2
fi
device=cpu
[[ $DEVICE == cpu ]] || device=$(seq --separator=, 0 "$((CARDS - 1))")
[[ $DATA == /* ]] || DATA=./$DATA
env=(PYTHONPATH=".${PYTHONPATH:+:$PYTHONPATH}")
[[ $PRECISION != tf32 ]] || env+=(TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1)  # torch asks for leave
cd "$REPO"
# The program knows epochs only, so one has as many images as its steps take. The batch is that of all cards.
native env "${env[@]}" python ultralytics/cfg/__init__.py train \
  cfg=ultralytics/cfg/default.yaml model=ultralytics/cfg/models/11/yolo11.yaml \
  data="$DATA/data.yaml" epochs="$EPOCHS" batch="$((BATCH_SIZE * CARDS))" device="$device" imgsz=640 workers=8 \
  fraction="$((BATCH_SIZE * CARDS * ((STEPS + EPOCHS - 1) / EPOCHS)))" val=False plots=False save=False pretrained=False \
  project="$WORK" exist_ok=True "$level" "${extra[@]}"
