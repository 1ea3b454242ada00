# shellcheck shell=bash disable=SC2034,SC2154
# What launchers of Paddle share; one reads it in place of native.bash, which is read here, and makes the nodes meet
# wherever it finds this launch in the file that reads it.
#
# launch   the arguments of python that start a process on each card; none for a single card, which needs no launcher

. "${BASH_SOURCE[0]%/*}/native.bash"
launch=(-m paddle.distributed.launch --nnodes "$NODES" --nproc_per_node "$((CARDS / NODES))" --log_dir "$WORK/log")
((NODES == 1)) || launch+=(--master "${MASTER:?host:port where the nodes meet}" --rank "$NODE_RANK")
((CARDS > 1)) || launch=()
