#!/usr/bin/env bash
# model: BERT-base
# framework: NVIDIA TensorFlow
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: Apache-2.0
# gpu: fp32 tf32 amp fp16
# metric: throughput_train : [0-9.]+
# data: Wikipedia and BookCorpus as TFRecord, and bert_config.json, as data/create_datasets_from_start.sh makes them
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/Bert/OtherReports/TensorFlow/README.md
# differs: data of Wikipedia and BookCorpus (published: its part wikicorpus_en); no evaluation after the training
# needs: NVIDIA's TensorFlow container 20.06-tf1, dllogger, pynvml
# tasks: card
# case: accumulation=$ACCUMULATION sequence_length=128 xla=$XLA
set -euo pipefail
# STEPS must exceed 6: the program leaves out the first 6, and divides by the time of the others.
: "${REPO:?}" "${DATA:=TensorFlow/LanguageModeling/BERT/data}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}"
: "${BATCH_SIZE:=96}" "${ACCUMULATION:=88}" "${STEPS:=45}" "${XLA:=on}" "${EXTRA:=}" "${TASKS:=node}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([fp32]="--noamp" [tf32]="--noamp" [amp]="--amp" [fp16]="--noamp --manual_fp16")
declare -A compilers=([on]="--use_xla" [off]="--nouse_xla")
read -ra level <<< "${levels[$PRECISION]:?fp32, tf32, amp and fp16 are possible} ${compilers[$XLA]:?on and off are possible}"
((CARDS == 1)) || level+=(--horovod)
mpi=()
if [[ $TASKS == node ]] && ((NODES > 1)); then
  echo "$NODES nodes require TASKS=card, with Slurm or mpirun starting this launcher once per GPU" >&2
  exit 2
elif [[ $TASKS == node ]] && ((CARDS > 1)); then
  mpi=(mpirun --allow-run-as-root --bind-to socket -np "$CARDS")
fi
files=lower_case_1_seq_len_128_max_pred_20_masked_lm_prob_0.15_random_seed_12345_dupe_factor_5_shard_1472_test_split_10
[[ $DATA == /* ]] || DATA=../../../$DATA  # it is seen from REPO
cd "$REPO/TensorFlow/LanguageModeling/BERT"
# In the folder of an earlier run it would train nothing and exit 0.
native "${mpi[@]}" python run_pretraining.py \
  --input_files_dir="$DATA/tfrecord/$files/books_wiki_en_corpus/training" \
  --bert_config_file="$DATA/download/nvidia_pretrained/bert_tf_squad11_base_128/bert_config.json" \
  --do_train=True --train_batch_size="$BATCH_SIZE" --max_seq_length=128 --max_predictions_per_seq=20 \
  --num_train_steps="$STEPS" --num_warmup_steps=2000 --save_checkpoints_steps="$STEPS" --learning_rate=7.5e-4 \
  --num_accumulation_steps="$ACCUMULATION" --allreduce_post_accumulation=True "${level[@]}" --output_dir="$WORK" \
  --dllog_path=/dev/null "${extra[@]}"
