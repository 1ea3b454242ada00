#!/usr/bin/env bash
# model: SE_ResNeXt50_32x4d
# framework: PaddleClas
# repository: https://github.com/PaddlePaddle/PaddleClas
# commit: d178931fca432204e6b7422bac4f92e09ff22fa4
# licence: Apache-2.0
# gpu: fp32 tf32 amp fp16
# cpu: fp32
# metric: ips: [0-9.]+ samples/s
# data: ImageNet with its train_list.txt
# published: none, PaddlePaddle's benchmark guide of 2019 measured another program, for Paddle Fluid
# differs: dynamic graph of PaddleClas; the guide had Paddle Fluid 1.4
# needs: paddlepaddle-gpu 2.6, requirements.txt
set -euo pipefail
: "${REPO:?}" "${DATA:=dataset/ILSVRC2012}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=64}"
: "${STEPS:=500}" "${EPOCHS:=1}" "${DEVICE:=gpu}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=paddleclas.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/paddleclas.bash"
cd "$REPO"
native "${python[@]}" "${launch[@]}" tools/train.py -c ppcls/configs/ImageNet/SENet/SE_ResNeXt50_32x4d.yaml \
  -o Global.device="$DEVICE" -o Global.output_dir="$WORK" -o Global.epochs="$EPOCHS" \
  -o Global.iter_per_epoch="$(((STEPS + EPOCHS - 1) / EPOCHS))" \
  -o Global.eval_during_train=False -o DataLoader.Train.sampler.batch_size="$BATCH_SIZE" \
  -o DataLoader.Train.dataset.image_root="$DATA" -o DataLoader.Train.dataset.cls_label_path="$DATA/train_list.txt" \
  "${level[@]/#/-o}" "${extra[@]}"
