#!/usr/bin/env bash
# model: BERT-base
# framework: NVIDIA PyTorch
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: Apache-2.0
# gpu: fp32 tf32 amp fp16
# metric: training_sequences_per_second : [0-9.]+
# data: Wikipedia in Parquet files for phase 1 (128 tokens), as scripts/run_pretraining.sh makes them
# needs: NVIDIA's PyTorch container 21.11, lddl, dllogger, h5py, tqdm, and lamb_amp_opt of the repository
set -euo pipefail
# EXTRA=--config_file=bert_configs/large.json trains BERT large.
: "${REPO:?}" "${DATA:=PyTorch/LanguageModeling/BERT/data/pretrain/phase1/unbinned/parquet}" "${NODES:=1}" "${CARDS:=1}"
: "${PRECISION:=fp32}" "${BATCH_SIZE:=96}" "${STEPS:=500}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
. "$(dirname "${BASH_SOURCE[0]}")/native.bash"
declare -A levels=([fp32]="" [tf32]="" [amp]="--fp16" \
  [fp16]="--fp16 --allreduce_post_accumulation --allreduce_post_accumulation_fp16")
read -ra level <<< "${levels[$PRECISION]?fp32, tf32, amp and fp16 are possible}"
python=(python)
[[ $PRECISION != tf32 ]] || python=(env TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 python)  # torch asks for leave
launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
[[ $DATA == /* ]] || DATA=../../../$DATA  # it is seen from REPO
cd "$REPO/PyTorch/LanguageModeling/BERT"
native "${python[@]}" "${launch[@]}" run_pretraining.py --input_dir="$DATA" --output_dir=results/checkpoints \
  --config_file=bert_configs/base.json --vocab_file=vocab/vocab --train_batch_size="$BATCH_SIZE" \
  --max_seq_length=128 --max_predictions_per_seq=20 --max_steps="$STEPS" --warmup_proportion=0.2843 \
  --learning_rate=6e-3 "${level[@]}" --do_train --skip_checkpoint --json-summary /dev/null --disable_progress_bar \
  "${extra[@]}"
