#!/usr/bin/env bash
# model: ResNet50
# framework: NVIDIA PyTorch
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: BSD-3-Clause
# gpu: fp32 tf32 amp
# metric: Iteration: [0-9]+ .*train\.total_ips : [0-9.]+ images/s
# data: ImageNet with its images in train and val
# synthetic: images that the program makes
# case: dali=$DALI
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/ResNet50V1.5/OtherReports/PyTorch/scripts/pytorch_test_all.sh
# needs: NVIDIA's PyTorch container 21.03 with its DALI (it stops without, on synthetic images too), requirements.txt
set -euo pipefail
: "${REPO:?}" "${DATA:=/imagenet}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=256}"
: "${STEPS:=100}" "${DALI:=on}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([fp32]="" [tf32]="" [amp]="--amp --static-loss-scale 256")
declare -A loaders=([on]="--data-backend dali-cpu" [off]="--data-backend pytorch")
read -ra level <<< "${levels[$PRECISION]?fp32, tf32 and amp are possible}"
read -ra loader <<< "${loaders[$DALI]?on and off are possible}"
cd "$REPO/PyTorch/Classification/ConvNets"
env=()
[[ $PRECISION != tf32 ]] || env=(TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1)  # torch asks for leave
launch=()
((CARDS == 1)) || launch=("$PWD/multiproc.py" --nproc_per_node "$CARDS")
((NODES == 1)) || launch=(-m torch.distributed.run --nnodes "$NODES" --nproc_per_node "$((CARDS / NODES))" \
  --node_rank "$NODE_RANK" --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
# With synthetic images a folder has to be named as well, and is not looked at.
[[ $DATA != synthetic ]] || loader=(--data-backend synthetic)
[[ $DATA == /* || $DATA == synthetic ]] || DATA=$REPO/$DATA
# multiproc.py writes the logs of the other cards into the current folder.
native env --chdir "$WORK" "${env[@]}" python "${launch[@]}" "$PWD/main.py" "$DATA" --arch resnet50 \
  -b "$BATCH_SIZE" --training-only -p 1 --workspace "$WORK" --raport-file benchmark.json --no-checkpoints --epochs 1 \
  --prof "$STEPS" "${level[@]}" "${loader[@]}" "${extra[@]}"
