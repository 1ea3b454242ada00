#!/usr/bin/env bash
# model: Qwen3-0.6B
# framework: TorchTitan
# repository: https://github.com/pytorch/torchtitan
# commit: 73a0e6979dd10b6b1904098eb3c8f62c18ab87ce
# licence: BSD-3-Clause
# gpu: bf16
# metric: step: +[0-9]+ .*tps: [0-9,]+
# data: a folder of JSON lines with text, as tests/assets/c4_test, where the program has an option for it, else C4 of Hugging Face
# published: none, TorchTitan's published benchmarks are of Llama 3
# needs: torch 2.11, torchdata, datasets, tokenizers, tyro, tensorboard, einops
set -euo pipefail
: "${REPO:?}" "${DATA:=tests/assets/c4_test}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=bf16}" "${BATCH_SIZE:=4}"
: "${STEPS:=60}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A types=([bf16]=bfloat16)
type=${types[$PRECISION]:?bf16 is possible}
launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
cd "$REPO"
if [[ -e torchtitan/models/qwen3/config_registry.py ]]; then  # as of August 2026
  if [[ $DATA != tests/assets/c4_test ]]; then
    echo "this version of torchtitan reads the data that its configuration names, allenai/c4; omit DATA" >&2
    exit 2
  fi
  options=(--module=qwen3 --config=qwen3_0_6b --hf_assets_path=tests/assets/tokenizer --dump_folder="$WORK" \
    --training.num_tokens_per_microbatch_per_dp_rank="$((BATCH_SIZE * 4096))")
else
  options=(--job.config_file=torchtitan/models/qwen3/train_configs/qwen3_0.6b.toml --job.dump_folder="$WORK" \
    --model.hf_assets_path=tests/assets/tokenizer --training.dataset=c4_test --training.dataset_path="$DATA" \
    --training.local_batch_size="$BATCH_SIZE")
fi
# torchtitan/train.py imports torchtitan from the checkout; run_train.sh sets the allocator like this.
native env PYTHONPATH=".${PYTHONPATH:+:$PYTHONPATH}" PYTORCH_ALLOC_CONF=expandable_segments:True \
  python "${launch[@]}" torchtitan/train.py "${options[@]}" --training.steps="$STEPS" \
  --training.mixed_precision_param="$type" "${extra[@]}"
