#!/usr/bin/env bash
# model: ResNet50
# framework: timm
# repository: https://github.com/huggingface/pytorch-image-models
# commit: aa4b5850c1543fa488abf260f18390eda46cf85d
# licence: Apache-2.0
# gpu: fp32 tf32 amp bf16
# cpu: fp32
# metric: Train: [0-9]+ \[ *[0-9]+/[0-9]+ .*Time: [0-9.]+s, +[0-9.]+/s
# data: ImageNet with its training images in train, a folder a class
# case: accumulation=$ACCUMULATION
# published: none, timm publishes accuracies of trainings, and throughputs of another program
# needs: torch, torchvision, pyyaml, huggingface_hub, safetensors
set -euo pipefail
: "${REPO:?}" "${DATA:=data/imagenet}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=amp}" "${BATCH_SIZE:=256}"
: "${ACCUMULATION:=1}" "${STEPS:=500}" "${EPOCHS:=1}" "${DEVICE:=gpu}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([fp32]="" [tf32]="" [amp]="--amp" [bf16]="--amp --amp-dtype bfloat16")
read -ra level <<< "${levels[$PRECISION]?fp32, tf32, amp and bf16 are possible}"
device=cuda
[[ $DEVICE == gpu ]] || device=cpu
python=(python)
[[ $PRECISION != tf32 ]] || python=(env TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 python)  # torch asks for leave
launch=()
((CARDS == 1)) || launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
cd "$REPO"
steps=$(((STEPS + EPOCHS - 1) / EPOCHS))  # of an epoch, rounded up
# A step is one of the optimizer, of several batches. Only with a size of images can an epoch end early.
native "${python[@]}" "${launch[@]}" train.py --data-dir "$DATA" --model resnet50 --device "$device" -b "$BATCH_SIZE" \
  --grad-accum-steps "$ACCUMULATION" --epochs "$EPOCHS" --warmup-epochs 0 --cooldown-epochs 0 --train-img-sizes 224 \
  --train-batches-per-epoch "$((steps * ACCUMULATION))" --val-split "" --log-interval 10 \
  --workers 8 --output "$WORK" "${level[@]}" "${extra[@]}"
