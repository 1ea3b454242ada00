# shellcheck shell=bash disable=SC2034,SC2154
# What the launchers of tools/train.py of PaddleClas share; one reads it in place of paddle.bash, which is read here.
#
# python   how Python is started
# level    the values of the config that set the precision, without the -o before each

. "${BASH_SOURCE[0]%/*}/paddle.bash"
declare -A levels=([fp32]="use_amp=False" [tf32]="use_amp=False" \
  [amp]="use_amp=True AMP.level=O1" [fp16]="use_amp=True AMP.level=O2")
read -ra level <<< "AMP.${levels[$PRECISION]:?fp32, tf32, amp and fp16 are possible}"
python=(python)
[[ $DEVICE == gpu ]] || python=(env -u CUDA_VISIBLE_DEVICES python)  # set but empty, it stops the distributed launch
