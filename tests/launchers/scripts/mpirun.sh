#!/usr/bin/env bash
# Logs are written to the folders of a launch, but without a run.json, so a launch does not touch them.
set -uo pipefail
export PYTHONUNBUFFERED=1

# ResNet50_bs64_fp32_N2C4, repeat 1
export REPO=@TOP@/checkout
export WORK=@TOP@/logs/suite/ResNet50_bs64_fp32_N2C4/.1.work
mkdir -p @TOP@/logs/suite/ResNet50_bs64_fp32_N2C4/1 "$WORK"
cat > @TOP@/logs/suite/ResNet50_bs64_fp32_N2C4/1/job.sh <<'JOB'
#!/usr/bin/env bash
# ResNet50_bs64_fp32_N2C4: mpirun starts this file once a node. It needs REPO, the checkout,
# WORK, a folder of this run, and MASTER, host:port.
set -euo pipefail
export NODE_RANK=$((OMPI_COMM_WORLD_RANK / 1))
export WORK=$WORK/node$NODE_RANK
mkdir -p "$WORK"
TMPDIR=$(mktemp -d 2> /dev/null || mktemp -dp /tmp)  # that of where the job was started need not be here
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
if [[ -n ${TACHOGRAPH-} && $OMPI_COMM_WORLD_LOCAL_RANK == 0 ]]; then  # the machine and its GPUs, for the run folder
  "$TACHOGRAPH" observe "$RUN" --node "$NODE_RANK" --until $$ > /dev/null 2>&1 || true
fi
@meet.bash@
meet || exit
cd "$REPO" && env NVIDIA_TF32_OVERRIDE=0 python -m paddle.distributed.launch --nnodes 2 --nproc_per_node 2 --log_dir "$WORK"/log --master "$MASTER" --rank "$NODE_RANK" tools/train.py -c ppcls/configs/ImageNet/ResNet/ResNet50.yaml -o Global.device=gpu -o Global.output_dir="$WORK" -o Global.epochs=1 -o Global.iter_per_epoch=500 -o Global.eval_during_train=False -o Arch.pretrained=False -o DataLoader.Train.sampler.batch_size=64 -o DataLoader.Train.dataset.image_root=dataset/ILSVRC2012 -o DataLoader.Train.dataset.cls_label_path=dataset/ILSVRC2012/train_list.txt -oAMP.use_amp=False
JOB
env MASTER=a:@PORT@ mpirun -H a,b -np 2 --map-by seq --mca orte_keep_fqdn_hostnames 1 --tag-output --bind-to none -x MASTER -x PATH -x PYTHONUNBUFFERED -x REPO -x WORK bash @TOP@/logs/suite/ResNet50_bs64_fp32_N2C4/1/job.sh 2>&1 | tee @TOP@/logs/suite/ResNet50_bs64_fp32_N2C4/1/train.log
