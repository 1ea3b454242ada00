#!/usr/bin/env bash
# model: ResNet50
# framework: PaddleClas
# repository: https://github.com/PaddlePaddle/PaddleClas
# commit: d178931fca432204e6b7422bac4f92e09ff22fa4
# licence: Apache-2.0
# gpu: fp32 tf32 amp fp16
# metric: train step:.* ips: [0-9.]+ samples/sec\.
# data: ImageNet with its train_list.txt
# needs: paddlepaddle-gpu 2.6, protobuf 4.25, requirements.txt
set -euo pipefail
: "${REPO:?}" "${DATA:=dataset/ILSVRC2012}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=64}"
: "${STEPS:=500}" "${EPOCHS:=1}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
. "$(dirname "${BASH_SOURCE[0]}")/paddle.bash"
declare -A configs=([fp32]="ResNet50" [tf32]="ResNet50" [amp]="ResNet50_amp_O1" [fp16]="ResNet50_amp_O2_ultra")
config="${configs[$PRECISION]:?fp32, tf32, amp and fp16 are possible}"
cd "$REPO"
# The program knows epochs only. The sampler below is the one that can end an epoch early, and DALI would bypass it;
# batches of one class each are what it draws fastest.
native python "${launch[@]}" ppcls/static/train.py -c "ppcls/configs/ImageNet/ResNet/$config.yaml" \
  -o Global.epochs="$EPOCHS" -o Global.eval_during_train=False -o Global.use_dali=False -o Arch.pretrained=False \
  -o DataLoader.Train.sampler.name=DistributedRandomIdentitySampler \
  -o DataLoader.Train.sampler.max_iters="$(((STEPS + EPOCHS - 1) / EPOCHS))" \
  -o DataLoader.Train.sampler.num_instances="$BATCH_SIZE" -o DataLoader.Train.sampler.batch_size="$BATCH_SIZE" \
  -o DataLoader.Train.dataset.image_root="$DATA" -o DataLoader.Train.dataset.cls_label_path="$DATA/train_list.txt" \
  "${extra[@]}"
