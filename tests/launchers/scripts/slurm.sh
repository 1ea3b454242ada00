#!/usr/bin/env bash
# Logs are written to the folders of a launch, but without a run.json, so a launch does not touch them.
set -uo pipefail
export PYTHONUNBUFFERED=1

# ResNet50_bs64_amp_N2C4, repeat 1
export REPO=@TOP@/checkout
export WORK=@TOP@/logs/suite/ResNet50_bs64_amp_N2C4/.1.work
mkdir -p @TOP@/logs/suite/ResNet50_bs64_amp_N2C4/1 "$WORK"
cat > @TOP@/logs/suite/ResNet50_bs64_amp_N2C4/1/job.sh <<'JOB'
#!/usr/bin/env bash
# ResNet50_bs64_amp_N2C4, one task a node. It needs REPO, the checkout, and WORK, a folder of this run.
# sbatch takes further options, such as a partition, from a site file, and from variables: SBATCH_PARTITION, SBATCH_ACCOUNT ...
#SBATCH --job-name=ResNet50_bs64_amp_N2C4
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:a100:2
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --partition=gpu
#SBATCH --time=02:00:00
#SBATCH --qos=high
set -euo pipefail

set +u  # what defines `module` was written without it
type module > /dev/null 2>&1 || . /etc/profile
module load cuda/12.4 nccl
set -u
ulimit -l unlimited
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
@meet.bash@
meet || exit
cd "$REPO" && python -m paddle.distributed.launch --nnodes 2 --nproc_per_node 2 --log_dir "$WORK"/log --master "$MASTER" --rank "$NODE_RANK" tools/train.py -c ppcls/configs/ImageNet/ResNet/ResNet50.yaml -o Global.device=gpu -o Global.output_dir="$WORK" -o Global.epochs=1 -o Global.iter_per_epoch=500 -o Global.eval_during_train=False -o Arch.pretrained=False -o DataLoader.Train.sampler.batch_size=64 -o DataLoader.Train.dataset.image_root=dataset/ILSVRC2012 -o DataLoader.Train.dataset.cls_label_path=dataset/ILSVRC2012/train_list.txt -oAMP.use_amp=True -oAMP.level=O1
}
export -f task
# Within an allocation that somebody holds, directives are not read: srun takes its first nodes, beside a shell there.
# With labels, because every node may print its own throughput. Without a binding, because a launcher that has one task
# a node needs all its cores.
export SLURM_OVERLAP=1
srun --nodes=2 --ntasks=2 --ntasks-per-node=1 --relative=0 --export=ALL --label \
  --cpu-bind=none --kill-on-bad-exit=1 bash -c task
JOB
sbatch --wait --no-requeue --export=ALL --account=lab --output=@TOP@/logs/suite/ResNet50_bs64_amp_N2C4/1/train.log @TOP@/logs/suite/ResNet50_bs64_amp_N2C4/1/job.sh
