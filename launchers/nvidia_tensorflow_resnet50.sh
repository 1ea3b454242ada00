#!/usr/bin/env bash
# model: ResNet50
# framework: NVIDIA TensorFlow
# repository: https://github.com/NVIDIA/DeepLearningExamples
# commit: 729963dd47e7c8bd462ad10bfac7a7b0b604e6dd
# licence: Apache-2.0
# gpu: fp32 tf32 amp
# cpu: fp32
# metric: total_ips : [0-9.]+|train_throughput : [0-9.]+
# data: ImageNet as TFRecord, in files called train-* and validation-*
# synthetic: images that the program makes
# case: dali=off xla=$XLA
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/ResNet50V1.5/OtherReports/TensorFlow/scripts/tf_test_all.sh
# needs: NVIDIA's TensorFlow container 20.12-tf1 with its Horovod and DALI, requirements.txt
# tasks: card
set -euo pipefail
: "${REPO:?}" "${DATA:=TensorFlow/Classification/ConvNets/data/tfrecords}" "${NODES:=1}" "${CARDS:=1}"
: "${PRECISION:=fp32}" "${BATCH_SIZE:=256}" "${STEPS:=500}" "${XLA:=on}" "${DEVICE:=gpu}" "${EXTRA:=}" "${TASKS:=node}"
# shellcheck source=native.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/native.bash"
declare -A levels=([fp32]="" [tf32]="" [amp]="--use_tf_amp --use_static_loss_scaling --loss_scale=128")
declare -A compilers=([on]="--use_xla" [off]="")
read -ra level <<< "${compilers[$XLA]?on and off are possible} ${levels[$PRECISION]?fp32, tf32 and amp are possible}"
[[ $DEVICE == gpu ]] || level+=(--cpu)
mpi=()
if [[ $TASKS == node ]] && ((NODES > 1)); then
  echo "$NODES nodes require TASKS=card, with Slurm or mpirun starting this launcher once per GPU" >&2
  exit 2
elif [[ $TASKS == node ]] && ((CARDS > 1)); then
  mpi=(mpirun --allow-run-as-root --bind-to socket -np "$CARDS")
fi
[[ $DATA == /* || $DATA == synthetic ]] || DATA=../../../$DATA  # it is seen from REPO
data=(--data_dir="$DATA")
[[ $DATA != synthetic ]] || data=()
cd "$REPO/TensorFlow/Classification/ConvNets"
# In the folder of an earlier run it would train nothing and exit 0.
native "${mpi[@]}" python main.py --mode=training_benchmark --warmup_steps "$((STEPS * 2 / 5))" --num_iter "$STEPS" \
  --iter_unit batch --batch_size "$BATCH_SIZE" --results_dir="$WORK" "${data[@]}" "${level[@]}" "${extra[@]}"
