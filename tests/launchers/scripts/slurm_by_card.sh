#!/usr/bin/env bash
# Logs are written to the folders of a launch, but without a run.json, so a launch does not touch them.
set -uo pipefail
export PYTHONUNBUFFERED=1

# ResNet50_bs256_fp32_N2C4, repeat 1
export REPO=@TOP@/checkout
export WORK=@TOP@/logs/suite/ResNet50_bs256_fp32_N2C4/.1.work
mkdir -p @TOP@/logs/suite/ResNet50_bs256_fp32_N2C4/1 "$WORK"
cat > @TOP@/logs/suite/ResNet50_bs256_fp32_N2C4/1/job.sh <<'JOB'
#!/usr/bin/env bash
# ResNet50_bs256_fp32_N2C4, one task a card. It needs REPO, the checkout, and WORK, a folder of this run.
# sbatch takes further options, such as a partition, from a site file, and from variables: SBATCH_PARTITION, SBATCH_ACCOUNT ...
#SBATCH --job-name=ResNet50_bs256_fp32_N2C4
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --gres=gpu:2
#SBATCH --exclusive
#SBATCH --mem=0
set -euo pipefail

# The nodes meet at the first of them, which is this job's alone. The port is that of no other job either, unless the
# numbers of the two differ by a multiple of 10000.
first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p)
address=$(scontrol --oneliner show node "$first" | grep -o 'NodeAddr=[^ ]*')
export MASTER=${address#*=}:$((20000 + SLURM_JOB_ID % 10000))

task() {
  export NODE_RANK=$SLURM_NODEID
  export WORK=$WORK/node$NODE_RANK
  mkdir -p "$WORK" || return
  TMPDIR=$(mktemp -d 2> /dev/null || mktemp -dp /tmp)  # that of where the job was submitted need not be here
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
  if [[ -n ${TACHOGRAPH-} && $SLURM_LOCALID == 0 ]]; then  # the machine and its GPUs, for the run folder
    "$TACHOGRAPH" observe "$RUN" --node "$NODE_RANK" --until $$ > /dev/null 2>&1 || true
  fi
cd "$REPO"/TensorFlow/Classification/ConvNets && env NVIDIA_TF32_OVERRIDE=0 python main.py --mode=training_benchmark --warmup_steps 200 --num_iter 500 --iter_unit batch --batch_size 256 --results_dir="$WORK" --data_dir=../../../TensorFlow/Classification/ConvNets/data/tfrecords --use_xla
}
export -f task
# Within an allocation that somebody holds, directives are not read: srun takes its first nodes, beside a shell there.
# With labels, because every node may print its own throughput. Without a binding, because a launcher that has one task
# a node needs all its cores.
export SLURM_OVERLAP=1
srun --nodes=2 --ntasks=4 --ntasks-per-node=2 --relative=0 --export=ALL --label \
  --cpu-bind=none --kill-on-bad-exit=1 bash -c task
JOB
sbatch --wait --no-requeue --export=ALL --output=@TOP@/logs/suite/ResNet50_bs256_fp32_N2C4/1/train.log @TOP@/logs/suite/ResNet50_bs256_fp32_N2C4/1/job.sh
