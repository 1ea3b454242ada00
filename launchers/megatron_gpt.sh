#!/usr/bin/env bash
# model: GPT-345M
# framework: Megatron-LM
# repository: https://github.com/NVIDIA/Megatron-LM
# commit: d98e8a64ddf34856e74b24714e3bedb2f5a39553
# licence: BSD-3-Clause
# gpu: bf16 fp16
# metric: iteration +[0-9]+/ +[0-9]+ \|.* elapsed time per iteration \(ms\): [0-9.]+
# data: synthetic, tokens that the program makes
# case: accumulation=$ACCUMULATION sequence_length=$SEQUENCE_LENGTH
# published: none, Megatron-LM publishes throughputs of larger models only
# needs: NVIDIA's PyTorch container with Transformer Engine and Apex, or torch 2.6; make in megatron/core/datasets
set -euo pipefail
# It writes nothing without --save, but builds its helpers in the checkout at the first start, unless they are made.
# Each card has the whole model; options such as --tensor-model-parallel-size go into EXTRA.
: "${REPO:?}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=bf16}" "${BATCH_SIZE:=4}" "${ACCUMULATION:=1}"
: "${SEQUENCE_LENGTH:=1024}" "${STEPS:=100}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([bf16]="--bf16" [fp16]="--fp16")
level=${levels[$PRECISION]:?bf16 and fp16 are possible}
launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
cd "$REPO"
# Megatron-LM wants one stream of commands a card where gradients and products overlap.
native env CUDA_DEVICE_MAX_CONNECTIONS=1 python "${launch[@]}" pretrain_gpt.py --num-layers 24 --hidden-size 1024 \
  --num-attention-heads 16 --seq-length "$SEQUENCE_LENGTH" --max-position-embeddings "$SEQUENCE_LENGTH" \
  --micro-batch-size "$BATCH_SIZE" --global-batch-size "$((BATCH_SIZE * CARDS * ACCUMULATION))" --train-iters "$STEPS" \
  --mock-data --tokenizer-type NullTokenizer --vocab-size 50256 --split 1,0,0 --eval-iters 0 --lr 1.5e-4 --min-lr 1e-5 \
  --lr-decay-style cosine --weight-decay 0.01 --clip-grad 1.0 --log-interval 1 --log-throughput \
  "$level" "${extra[@]}"
