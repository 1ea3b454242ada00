#!/usr/bin/env bash
# model: GPT-2-124M
# framework: nanoGPT
# repository: https://github.com/karpathy/nanoGPT
# commit: 3adf61e154c3fe3fca428ad6bc3818b27a3b8291
# licence: MIT
# gpu: fp32 tf32 bf16
# metric: ^iter [0-9]+: loss .*, time [0-9.]+ms
# data: train.bin and val.bin of 16-bit tokens, as data/openwebtext/prepare.py makes them
# case: sequence_length=1024
# published: https://github.com/karpathy/nanoGPT/blob/3adf61e154c3fe3fca428ad6bc3818b27a3b8291/config/train_gpt2.py
# needs: torch, numpy
set -euo pipefail
: "${REPO:?}" "${DATA:=data/openwebtext}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=bf16}" "${BATCH_SIZE:=12}"
: "${STEPS:=200}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A types=([fp32]=float32 [tf32]=float32 [bf16]=bfloat16)  # train.py itself gives leave for TF32
type=${types[$PRECISION]:?fp32, tf32 and bf16 are possible}
launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
((CARDS > 1)) || launch=()
[[ $DATA == /* ]] || DATA=../$DATA  # train.py looks for it from data/
cd "$REPO"
# Each card makes 5 passes an iteration, as each of the published 8 does. Iterations count from 0, and the last one is
# run as well; the evaluation before the first one cannot be left out.
native python "${launch[@]}" train.py config/train_gpt2.py --wandb_log=False --out_dir="$WORK" --dataset="$DATA" \
  --batch_size="$BATCH_SIZE" --gradient_accumulation_steps="$((5 * CARDS))" --max_iters="$((STEPS - 1))" \
  --eval_interval="$STEPS" --eval_iters=1 --log_interval=1 --dtype="$type" "${extra[@]}"
