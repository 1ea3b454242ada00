#!/usr/bin/env bash
# model: GPT-2-124M
# framework: Hugging Face Trainer
# repository: https://github.com/huggingface/transformers
# commit: 00d481d18f914b55e65faa31e82321629691eadb
# licence: Apache-2.0
# gpu: fp32 tf32 bf16 fp16
# cpu: fp32
# metric: train_samples_per_second
# data: train.txt, a text of at least 20 lines
# case: accumulation=$ACCUMULATION sequence_length=$SEQUENCE_LENGTH
# published: none, Hugging Face publishes no throughputs of this example
# needs: torch, transformers of the checkout, datasets, evaluate, accelerate, scikit-learn, cached tokenizer of gpt2
set -euo pipefail
# Its fp16 is mixed precision, as its bf16 is.
: "${REPO:?}" "${DATA:=data}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=bf16}" "${BATCH_SIZE:=8}"
: "${ACCUMULATION:=1}" "${SEQUENCE_LENGTH:=1024}" "${STEPS:=200}" "${DEVICE:=gpu}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([fp32]="" [tf32]="--tf32 true" [bf16]="--bf16 true" [fp16]="--fp16 true")
read -ra level <<< "${levels[$PRECISION]?fp32, tf32, bf16 and fp16 are possible}"
[[ $DEVICE == gpu ]] || level+=(--use_cpu true)
launch=()
((CARDS == 1)) || launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
cd "$REPO"
# The weights are made anew; without progress bars each record is a line of its own.
native python "${launch[@]}" examples/pytorch/language-modeling/run_clm.py --model_type gpt2 --tokenizer_name gpt2 \
  --train_file "$DATA/train.txt" --do_train --per_device_train_batch_size "$BATCH_SIZE" \
  --gradient_accumulation_steps "$ACCUMULATION" --block_size "$SEQUENCE_LENGTH" --max_steps "$STEPS" --logging_steps 10 \
  --save_strategy no --report_to none --disable_tqdm true --output_dir "$WORK" "${level[@]}" "${extra[@]}"
