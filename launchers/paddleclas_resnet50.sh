#!/usr/bin/env bash
# model: ResNet50
# framework: PaddleClas
# repository: https://github.com/PaddlePaddle/PaddleClas
# licence: Apache-2.0
# gpu: fp32 amp fp16
# cpu: fp32
# packages: paddlepaddle paddlepaddle-gpu numpy scipy scikit-learn opencv-python pillow protobuf PyYAML visualdl
set -euo pipefail
# DATA is seen from REPO, EXTRA is quoted as in a shell, CARDS and STEPS count in all.
: "${REPO:?}" "${DATA:=dataset/ILSVRC2012}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=64}"
: "${STEPS:=500}" "${EPOCHS:=1}" "${DEVICE:=gpu}" "${EXTRA:=}"
declare -A levels=([fp32]="use_amp=False" [amp]="use_amp=True AMP.level=O1" [fp16]="use_amp=True AMP.level=O2")
read -ra level <<< "AMP.${levels[$PRECISION]:?fp32, amp and fp16 are possible}"
xargs true <<< "$EXTRA" > /dev/null  # stops here at an open quote
readarray -d '' -t extra < <(xargs -r printf '%s\0' <<< "$EXTRA")
launch=(-m paddle.distributed.launch --nnodes "$NODES" --nproc_per_node "$((CARDS / NODES))")
((CARDS > 1)) || launch=()  # several nodes meet at PADDLE_MASTER
[[ $DEVICE == gpu ]] || unset CUDA_VISIBLE_DEVICES  # set but empty, it stops paddle.distributed.launch
CDPATH='' cd -- "$REPO"
exec python "${launch[@]}" tools/train.py -c ppcls/configs/ImageNet/ResNet/ResNet50.yaml \
  -o Global.device="$DEVICE" -o Global.epochs="$EPOCHS" -o Global.iter_per_epoch="$(((STEPS + EPOCHS - 1) / EPOCHS))" \
  -o Global.eval_during_train=False -o Arch.pretrained=False -o DataLoader.Train.sampler.batch_size="$BATCH_SIZE" \
  -o DataLoader.Train.dataset.image_root="$DATA" -o DataLoader.Train.dataset.cls_label_path="$DATA/train_list.txt" \
  "${level[@]/#/-o}" "${extra[@]}"
