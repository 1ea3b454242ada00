#!/usr/bin/env bash
# ResNet50_bs4_fp32_N2C2, one task a node. It needs REPO, the checkout.
# sbatch takes further options, such as a partition, from variables: SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT ...
#SBATCH --job-name=ResNet50_bs4_fp32_N2C2
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --mem=0
set -euo pipefail

# The nodes meet at the first of them, at a port that no other job of the cluster has.
first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p)
address=$(scontrol --oneliner show node "$first" | grep -o 'NodeAddr=[^ ]*')
export MASTER=${address#*=}:$((20000 + SLURM_JOB_ID % 10000))

task() {
  export NODE_RANK=$SLURM_NODEID
  if [[ -n ${TACHOGRAPH-} && $SLURM_LOCALID == 0 ]]; then  # the machine and its GPUs, for the run folder
    "$TACHOGRAPH" observe "$RUN" --node "$NODE_RANK" --until $$ > /dev/null 2>&1 || true
  fi
  cd "$REPO" && env -u CUDA_VISIBLE_DEVICES python -m paddle.distributed.launch --nnodes 2 --nproc_per_node 1 --master "$MASTER" --rank "$NODE_RANK" tools/train.py -c ppcls/configs/ImageNet/ResNet/ResNet50.yaml -o Global.device=cpu -o Global.epochs=2 -o Global.iter_per_epoch=16 -o Global.eval_during_train=False -o Arch.pretrained=False -o DataLoader.Train.sampler.batch_size=4 -o DataLoader.Train.dataset.image_root=dataset/generated -o DataLoader.Train.dataset.cls_label_path=dataset/generated/train_list.txt -oAMP.use_amp=False -o Global.print_batch_step=1 -o DataLoader.Train.dataset.transform_ops.1.RandCropImage.size=64 -o DataLoader.Train.loader.num_workers=0
}
export -f task
# With labels, because every node may print its own throughput. Without a binding, because a launcher that has one task
# a node needs all its cores.
srun --label --cpu-bind=none --kill-on-bad-exit=1 bash -c task
