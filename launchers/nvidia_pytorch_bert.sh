#!/usr/bin/env bash
# model: BERT-base
# framework: NVIDIA PyTorch
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: Apache-2.0
# gpu: fp32 tf32 amp
# metric: training_sequences_per_second : [0-9.]+
# data: Wikipedia in Parquet files for phase 1 (128 tokens), as scripts/run_pretraining.sh makes them
# case: accumulation=$ACCUMULATION sequence_length=128
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/Bert/OtherReports/PyTorch/README.md
# differs: bert_configs/base.json for the config that was written for the report; no checkpoint
# needs: NVIDIA's PyTorch container 21.11, lddl, dllogger, h5py, tqdm, and lamb_amp_opt of the repository
set -euo pipefail
: "${REPO:?}" "${DATA:=PyTorch/LanguageModeling/BERT/data/pretrain/phase1/unbinned/parquet}" "${NODES:=1}" "${CARDS:=1}"
: "${PRECISION:=fp32}" "${BATCH_SIZE:=96}" "${ACCUMULATION:=88}" "${STEPS:=20}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=nvidia_bert.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/nvidia_bert.bash"
cd "$REPO/PyTorch/LanguageModeling/BERT"
pretrain bert_configs/base.json 12439
