#!/usr/bin/env bash
# model: ResNet50
# framework: NVIDIA TensorFlow
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: Apache-2.0
# gpu: fp32 tf32 amp
# cpu: fp32
# metric: total_ips : [0-9.]+|train_throughput : [0-9.]+
# data: synthetic, images that the program makes
# needs: NVIDIA's TensorFlow container 20.12-tf1 with its Horovod and DALI, requirements.txt
# tasks: card
set -euo pipefail
: "${REPO:?}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=128}"
: "${STEPS:=500}" "${DEVICE:=gpu}" "${EXTRA:=}" "${TASKS:=node}"
. "$(dirname "${BASH_SOURCE[0]}")/native.bash"
declare -A levels=([fp32]="" [tf32]="" [amp]="--amp --static_loss_scale 128")
read -ra level <<< "${levels[$PRECISION]?fp32, tf32 and amp are possible}"
[[ $DEVICE == gpu ]] || level+=(--cpu)
mpi=(mpirun --allow-run-as-root --bind-to socket -np "$CARDS")
if [[ $TASKS == card ]]; then
  mpi=()
elif ((NODES > 1)); then
  echo "$NODES nodes require TASKS=card, with Slurm or mpirun starting this launcher once per GPU" >&2
  exit 2
fi
# In the folder of an earlier run it would train nothing and exit 0.
# shellcheck disable=SC2016  # the shell that makes the folder expands it
fresh='results=$(mktemp -d) && trap "rm -rf \"\$results\"" EXIT && "$@" --results_dir="$results"'
cd "$REPO/TensorFlow/Classification/ConvNets"
native "${mpi[@]}" bash -c "$fresh" fresh python main.py --mode=training_benchmark \
  --warmup_steps "$((STEPS * 2 / 5))" --num_iter "$STEPS" --iter_unit batch --batch_size "$BATCH_SIZE" \
  "${level[@]}" "${extra[@]}"
