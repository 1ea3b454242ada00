#!/usr/bin/env bash
# model: Transformer-big
# framework: NVIDIA PyTorch
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: BSD-3-Clause
# gpu: fp32 tf32 amp
# metric: Transformer \| epoch [0-9]+ \| step [0-9]+ \|.*\|tokens/s [0-9.]+ \|
# data: WMT14 English-German, as scripts/run_preprocessing.sh makes it
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/Transformer/OtherReports/PyTorch/README.md
# needs: NVIDIA's PyTorch container 22.06, sacrebleu, dllogger, requirements.txt, pip install -e of the example
set -euo pipefail
# BATCH_SIZE counts tokens. After the last step the program translates the validation set; no option prevents that.
: "${REPO:?}" "${DATA:=/data/wmt14_en_de_joined_dict}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}"
: "${BATCH_SIZE:=5120}" "${STEPS:=500}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([fp32]="" [tf32]="" [amp]="--amp")
read -ra level <<< "${levels[$PRECISION]?fp32, tf32 and amp are possible}"
python=(python)
[[ $PRECISION != tf32 ]] || python=(env TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 python)  # torch asks for leave
launch=()
((CARDS == 1)) || launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
[[ $DATA == /* ]] || DATA=../../../$DATA  # it is seen from REPO
cd "$REPO/PyTorch/Translation/Transformer"
native "${python[@]}" "${launch[@]}" train.py "$DATA" --arch transformer_wmt_en_de_big_t2t --share-all-embeddings \
  --optimizer adam --adam-betas 0.9 0.997 --adam-eps 1e-9 --clip-norm 0.0 --lr-scheduler inverse_sqrt \
  --warmup-init-lr 0.0 --warmup-updates 4000 --lr 0.000846 --min-lr 0.0 --dropout 0.1 --weight-decay 0.0 \
  --criterion label_smoothed_cross_entropy --label-smoothing 0.1 --max-tokens "$BATCH_SIZE" --seed 1 \
  --max-update "$STEPS" --no-save --fuse-layer-norm --log-interval "$every" --save-dir "$WORK" "${level[@]}" \
  "${extra[@]}"
