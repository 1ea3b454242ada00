#!/usr/bin/env bash
# model: Qwen3-4B
# framework: LLaMA-Factory
# repository: https://github.com/hiyouga/LLaMA-Factory
# commit: ff6d4d12eeb035d6ce06805a5733dd7b29f2ac30
# licence: Apache-2.0
# gpu: bf16
# metric: train_samples_per_second
# data: the folder data of the checkout, of which c4_demo is used, or another one with its dataset_info.json
# case: accumulation=$ACCUMULATION sequence_length=$SEQUENCE_LENGTH
# published: none, LLaMA-Factory publishes no throughputs of Qwen3
# needs: torch, llamafactory of the checkout, cached weights of Qwen/Qwen3-4B-Instruct-2507
set -euo pipefail
: "${REPO:?}" "${DATA:=data}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=bf16}" "${BATCH_SIZE:=1}" "${ACCUMULATION:=8}"
: "${SEQUENCE_LENGTH:=2048}" "${STEPS:=60}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([bf16]="bf16=true")
level=${levels[$PRECISION]:?bf16 is possible}
launch=()
((CARDS == 1)) || launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
cd "$REPO"
native python "${launch[@]}" src/train.py examples/train_lora/qwen3_lora_pretrain.yaml dataset_dir="$DATA" \
  cutoff_len="$SEQUENCE_LENGTH" per_device_train_batch_size="$BATCH_SIZE" gradient_accumulation_steps="$ACCUMULATION" \
  max_steps="$STEPS" logging_steps=10 save_strategy=no plot_loss=false output_dir="$WORK" "$level" "${extra[@]}"
