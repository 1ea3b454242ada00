#!/usr/bin/env bash
# model: DeepLabV3P
# framework: PaddleSeg
# repository: https://github.com/PaddlePaddle/PaddleSeg
# licence: Apache-2.0
# gpu: fp32 amp fp16
# cpu: fp32
# packages: paddlepaddle paddlepaddle-gpu numpy scipy scikit-image scikit-learn opencv-python pillow protobuf PyYAML
set -euo pipefail
# DATA is seen from REPO, EXTRA (quoted as in a shell) goes on after --opts, CARDS and STEPS count in all.
: "${REPO:?}" "${DATA:=data/cityscapes}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=2}"
: "${STEPS:=500}" "${DEVICE:=gpu}" "${EXTRA:=}"
declare -A levels=([fp32]="fp32" [amp]="fp16 --amp_level O1" [fp16]="fp16 --amp_level O2")
read -ra level <<< "--precision ${levels[$PRECISION]:?fp32, amp and fp16 are possible}"
xargs true <<< "$EXTRA" > /dev/null  # stops here at an open quote
readarray -d '' -t extra < <(xargs -r printf '%s\0' <<< "$EXTRA")
launch=(-m paddle.distributed.launch --nnodes "$NODES" --nproc_per_node "$((CARDS / NODES))")
((CARDS > 1)) || launch=()  # several nodes meet at PADDLE_MASTER
[[ $DEVICE == gpu ]] || unset CUDA_VISIBLE_DEVICES  # set but empty, it stops paddle.distributed.launch
export PYTHONPATH=".${PYTHONPATH:+:$PYTHONPATH}"  # tools/train.py imports paddleseg from the checkout
CDPATH='' cd -- "$REPO"
exec python "${launch[@]}" tools/train.py \
  --config configs/deeplabv3p/deeplabv3p_resnet50_os8_cityscapes_1024x512_80k.yml \
  --device "$DEVICE" --iters "$STEPS" --batch_size "$BATCH_SIZE" --num_workers 8 "${level[@]}" \
  --opts model.backbone.pretrained=None train_dataset.dataset_root="$DATA" "${extra[@]}"
