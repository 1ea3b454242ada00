#!/usr/bin/env bash
# model: nanochat-d24
# framework: nanochat
# repository: https://github.com/karpathy/nanochat
# commit: 92d63d4e8bb4df75c3b71618f31ddde2378b2bcd
# licence: MIT
# gpu: bf16 fp8
# metric: step [0-9]+/[0-9]+ .*tok/sec: [0-9,]+
# data: the folder with base_data_climbmix and tokenizer that nanochat.dataset and scripts.tok_train make ($NANOCHAT_BASE_DIR)
# case: sequence_length=2048
# published: https://github.com/karpathy/nanochat/blob/92d63d4e8bb4df75c3b71618f31ddde2378b2bcd/runs/speedrun.sh
# needs: torch 2.9, the packages of its pyproject.toml; fp8 needs H100 or newer
set -euo pipefail
: "${REPO:?}" "${DATA:=data}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=bf16}" "${BATCH_SIZE:=16}"
: "${STEPS:=100}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([bf16]="" [fp8]="--fp8")
read -ra level <<< "${levels[$PRECISION]?bf16 and fp8 are possible}"
launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
((CARDS > 1)) || launch=()
cd "$REPO"
# The program computes the tokens of a step from the model and from how long it would train, and so its passes. What it
# saves after the last step cannot be left out: it goes where the tag leads, which may be an absolute path.
native env PYTHONPATH=".${PYTHONPATH:+:$PYTHONPATH}" OMP_NUM_THREADS=1 NANOCHAT_BASE_DIR="$DATA" NANOCHAT_DTYPE=bfloat16 \
  python "${launch[@]}" scripts/base_train.py --depth=24 --target-param-data-ratio=8 --device-batch-size="$BATCH_SIZE" \
  --num-iterations="$STEPS" --eval-every=-1 --core-metric-every=-1 --sample-every=-1 --model-tag="$WORK" \
  "${level[@]}" "${extra[@]}"
