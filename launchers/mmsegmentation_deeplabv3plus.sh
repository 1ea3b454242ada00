#!/usr/bin/env bash
# model: DeepLabV3P
# framework: mmsegmentation
# repository: https://github.com/open-mmlab/mmsegmentation
# commit: 186572a3ce64ac9b6b37e66d58c76515000c3280
# licence: Apache-2.0
# gpu: fp32 tf32 amp
# metric: Iter \[[0-9]+/[0-9]+\]\s.*, time: [0-9.]+, data_time: [0-9.]+
# data: Cityscapes with the labels of tools/convert_datasets/cityscapes.py
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/DeepLabV3P/OtherReports/PyTorch/README.md
# needs: torch, mmcv-full 1.7, requirements.txt
set -euo pipefail
: "${REPO:?}" "${DATA:=data/cityscapes}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=4}"
: "${STEPS:=500}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([fp32]="" [tf32]="" [amp]="optimizer_config.type=Fp16OptimizerHook")
read -ra level <<< "${levels[$PRECISION]?fp32, tf32 and amp are possible}"
python=(python)
[[ $PRECISION != tf32 ]] || python=(TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 python)  # torch asks for leave
launch=() launcher=()
((CARDS == 1)) || launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))") launcher=(--launcher pytorch)
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
cd "$REPO"
# tools/train.py imports mmseg from the checkout.
native env PYTHONPATH=".${PYTHONPATH:+:$PYTHONPATH}" "${python[@]}" "${launch[@]}" tools/train.py \
  configs/deeplabv3plus/deeplabv3plus_r50-d8_512x1024_80k_cityscapes.py "${launcher[@]}" --no-validate --work-dir "$WORK" \
  --cfg-options runner.max_iters="$STEPS" log_config.interval="$every" model.pretrained=None \
  data.samples_per_gpu="$BATCH_SIZE" data.workers_per_gpu=8 data.train.data_root="$DATA" "${level[@]}" "${extra[@]}"
