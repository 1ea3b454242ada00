# shellcheck shell=bash disable=SC2034,SC2154
# What the launchers of PaddleNLP share; one reads it in place of paddle.bash, which is read here.
#
# env      what env sets before Python: the program is to import the checkout's paddlenlp
# level    the options that set the precision

. "${BASH_SOURCE[0]%/*}/paddle.bash"
declare -A levels=([fp32]="False" [tf32]="False" [amp]="True --amp_level O1" [fp16]="True --amp_level O2")
read -ra level <<< "--use_amp ${levels[$PRECISION]:?fp32, tf32, amp and fp16 are possible}"
env=(PYTHONPATH="$REPO${PYTHONPATH:+:$PYTHONPATH}")
[[ ${DEVICE-gpu} == gpu ]] || env=(-u CUDA_VISIBLE_DEVICES "${env[@]}")  # set but empty, it stops the distributed launch
