#!/usr/bin/env bash
# model: BERT-base
# framework: PaddleNLP
# repository: https://github.com/PaddlePaddle/PaddleNLP
# commit: 60b9755f70f2030a02661543a670169c8fc43c30
# licence: Apache-2.0
# gpu: fp32 tf32 amp fp16
# cpu: fp32
# metric: global step: [0-9]+,.* ips: [0-9.]+ sequences/sec
# data: HDF5 files with "train" in their names, as create_pretraining_data.py writes them
# published: none, the report on BERT has the static graph, which paddlenlp_bert_static runs
# differs: dynamic graph, batch 32 and no accumulation; the report has the static graph, batch 96 and 88 passes a step
# needs: paddlepaddle-gpu 2.6, requirements.txt, huggingface_hub 0.23, h5py, cached vocabulary of bert-base-uncased
set -euo pipefail
: "${REPO:?}" "${DATA:=model_zoo/bert/data}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=32}"
: "${STEPS:=500}" "${DEVICE:=gpu}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=paddlenlp.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/paddlenlp.bash"
cd "$REPO"
native env "${env[@]}" python "${launch[@]}" model_zoo/bert/run_pretrain.py \
  --model_type bert --model_name_or_path bert-base-uncased --max_predictions_per_seq 20 --batch_size "$BATCH_SIZE" \
  --learning_rate 1e-4 --weight_decay 1e-2 --adam_epsilon 1e-6 --warmup_steps 10000 --input_dir "$DATA" \
  --output_dir "$WORK" --logging_steps "$every" --save_steps 20000 --max_steps "$STEPS" --device "$DEVICE" \
  "${level[@]}" "${extra[@]}"
