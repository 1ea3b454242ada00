#!/usr/bin/env bash
# model: BERT-base
# framework: PaddleNLP
# repository: https://github.com/PaddlePaddle/PaddleNLP
# commit: 537665a0af2e8a8ef3e539d2d0fae810c3a12ce1
# licence: Apache-2.0
# gpu: fp32 tf32 amp fp16
# metric: total step: [0-9]+,.* ips: [0-9.]+ sequences/sec
# data: HDF5 files of 128 tokens with "training" in their names, as test_tipc/static/dp/bert/benchmark_common/prepare.sh gets
# case: accumulation=$ACCUMULATION sequence_length=128
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/Bert/README.md
# differs: fp32 without TF32 on every card; published for A100 with it, which is tf32 here
# needs: paddlepaddle-gpu 2.5, requirements.txt, h5py, cached vocabulary of bert-base-uncased
set -euo pipefail
: "${REPO:?}" "${DATA:=tests/data/wikicorpus_en_seqlen128}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}"
: "${BATCH_SIZE:=96}" "${ACCUMULATION:=88}" "${STEPS:=500}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=paddle.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/paddle.bash"
declare -A levels=([fp32]="False" [tf32]="False" [amp]="True" [fp16]="True --use_pure_fp16 True")
read -ra level <<< "--use_amp ${levels[$PRECISION]:?fp32, tf32, amp and fp16 are possible}"
cd "$REPO"
# Its steps are passes; so many of them make one of the optimizer. Checkpoints come every 20000 steps.
native env PYTHONPATH=".${PYTHONPATH:+:$PYTHONPATH}" python "${launch[@]}" \
  examples/language_model/bert/static/run_pretrain.py --max_predictions_per_seq 80 --learning_rate 5e-5 \
  --weight_decay 0.0 --adam_epsilon 1e-8 --warmup_steps 0 --output_dir "$WORK" --logging_steps "$every" \
  --save_steps 20000 --max_steps "$STEPS" --input_dir "$DATA" --model_type bert --model_name_or_path bert-base-uncased \
  --batch_size "$BATCH_SIZE" --gradient_merge_steps "$ACCUMULATION" --fuse_transformer true "${level[@]}" "${extra[@]}"
