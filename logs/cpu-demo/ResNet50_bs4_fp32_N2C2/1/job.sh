#!/usr/bin/env bash
# ResNet50_bs4_fp32_N2C2, one task a node. It needs REPO, the checkout, and WORK, a folder of this run.
# sbatch takes further options, such as a partition, from a site file, and from variables: SBATCH_PARTITION, SBATCH_ACCOUNT ...
#SBATCH --job-name=ResNet50_bs4_fp32_N2C2
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --mem=0
set -euo pipefail

if [[ -n ${RUN-} ]]; then  # for the run folder: where the job ran, and how it ended
  now() { date --utc +%FT%T+00:00; }
  printf '%s\n' "$SLURM_JOB_ID" "$SLURM_JOB_PARTITION" "$SLURM_JOB_NODELIST" "$(now)" > "$RUN/slurm.begun"
  trap 'printf "%s\n" "$?" "$(now)" > "$RUN/slurm.ended"' EXIT
fi

# The nodes meet at the first of them, which is this job's alone. The port is that of no other job either, unless the
# numbers of the two differ by a multiple of 10000.
first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p)
address=$(scontrol --oneliner show node "$first" | grep -o 'NodeAddr=[^ ]*')
export MASTER=${address#*=}:$((20000 + SLURM_JOB_ID % 10000))

# shellcheck shell=bash
# Where the nodes of Paddle's launcher meet. It starts its server only on the node whose address is that in --master,
# letter for letter, and takes for that address what the name of the machine stands for: on Debian 127.0.1.1.
#
# meet   makes the name in MASTER an IPv4 address, and POD_IP the address of this node by which the others reach it

meet() {
  local found master
  found=$(python - "${MASTER%:*}" <<'END'
import fcntl, socket, struct, sys

def source(target):
    """The address from which this machine would send to another one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect((target, 9))
        return one.getsockname()[0]

def addresses():
    """The addresses of the interfaces of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        for _, name in socket.if_nameindex():
            try:
                found = fcntl.ioctl(one, 0x8915, struct.pack("256s", name.encode()[:15]))  # SIOCGIFADDR
            except OSError:
                continue
            yield socket.inet_ntoa(found[20:24])

def others():
    """The addresses by which other machines may reach this one, that of the default route first."""
    try:
        yield source("198.51.100.1")  # an address that nobody has
    except OSError:
        pass
    yield from (address for address in addresses() if not address.startswith("127."))

host = sys.argv[1]
try:
    known = [entry[4][0] for entry in socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)]
except OSError as error:
    sys.exit(f"The nodes cannot meet at {host}: {error.strerror}. Paddle needs a name with an IPv4 address.")
# A name that stands for a loopback address is this machine's own, which the others know by another address.
outside = [address for address in known if not address.startswith("127.")]
if host not in known and not outside:
    outside = list(others())
master = (outside or known)[0]
try:
    print(master, source(master))
except OSError as error:
    sys.exit(f"The nodes cannot meet at {host}, which is {master} as seen from this one: {error.strerror}.")
END
) || return
  read -r master POD_IP <<< "$found"
  MASTER=$master:${MASTER##*:}
  export MASTER POD_IP
}
export -f meet

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
  meet
  cd "$REPO" && env -u CUDA_VISIBLE_DEVICES python -m paddle.distributed.launch --nnodes 2 --nproc_per_node 1 --log_dir "$WORK"/log --master "$MASTER" --rank "$NODE_RANK" tools/train.py -c ppcls/configs/ImageNet/ResNet/ResNet50.yaml -o Global.device=cpu -o Global.output_dir="$WORK" -o Global.epochs=2 -o Global.iter_per_epoch=16 -o Global.eval_during_train=False -o Arch.pretrained=False -o DataLoader.Train.sampler.batch_size=4 -o DataLoader.Train.dataset.image_root=dataset/generated -o DataLoader.Train.dataset.cls_label_path=dataset/generated/train_list.txt -oAMP.use_amp=False -o Global.print_batch_step=1 -o DataLoader.Train.dataset.transform_ops.1.RandCropImage.size=64 -o DataLoader.Train.loader.num_workers=0
}
export -f task
# Within an allocation that somebody holds, directives are not read: srun takes its first nodes, beside a shell there.
# With labels, because every node may print its own throughput. Without a binding, because a launcher that has one task
# a node needs all its cores.
export SLURM_OVERLAP=1
srun --nodes=2 --ntasks=2 --ntasks-per-node=1 --relative=0 --export=ALL --label \
  --cpu-bind=none --kill-on-bad-exit=1 bash -c task
