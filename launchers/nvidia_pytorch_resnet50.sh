#!/usr/bin/env bash
# model: ResNet50
# framework: NVIDIA PyTorch
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: BSD-3-Clause
# gpu: fp32 tf32 amp
# metric: Iteration: [0-9]+ .*train\.total_ips : [0-9.]+ images/s
# data: synthetic, images that the program makes
# needs: NVIDIA's PyTorch container 21.03 with its DALI (it stops without, on synthetic images too), requirements.txt
set -euo pipefail
: "${REPO:?}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=128}"
: "${STEPS:=100}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
. "$(dirname "${BASH_SOURCE[0]}")/native.bash"
declare -A levels=([fp32]="FP32 --platform DGX1V" [tf32]="TF32 --platform DGXA100" [amp]="AMP --platform DGXA100")
read -ra level <<< "--precision ${levels[$PRECISION]:?fp32, tf32 and amp are possible}"
python=(python)
[[ $PRECISION != tf32 ]] || python=(env TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 python)  # torch asks for leave
launch=()
((CARDS == 1)) || launch=(multiproc.py --nproc_per_node "$CARDS")
((NODES == 1)) || launch=(-m torch.distributed.run --nnodes "$NODES" --nproc_per_node "$((CARDS / NODES))" \
  --node_rank "$NODE_RANK" --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
cd "$REPO/PyTorch/Classification/ConvNets"
# Without --optimizer-batch-size=-1 the config gathers gradients of 896 or 2048 images, and of more never steps. A folder
# of data has to be named, and in this mode is not looked at.
native "${python[@]}" "${launch[@]}" launch.py --model resnet50 "${level[@]}" --mode benchmark_training_short \
  --batch-size "$BATCH_SIZE" --optimizer-batch-size=-1 --prof "$STEPS" --raport-file /dev/null . "${extra[@]}"
