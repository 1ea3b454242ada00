#!/usr/bin/env bash
# model: DeepLabV3P
# framework: PaddleSeg
# repository: https://github.com/PaddlePaddle/PaddleSeg
# commit: d7975e7cb3b9102eae4eabcef5afb81b878473aa
# licence: Apache-2.0
# gpu: fp32 tf32 amp fp16
# cpu: fp32
# metric: \[TRAIN\].* ips: [0-9.]+ samples/sec
# data: Cityscapes with its train.list
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/DeepLabV3P/README.md
# needs: paddlepaddle-gpu 2.6, requirements.txt, scikit-image, filelock
set -euo pipefail
# EXTRA goes on after --opts, where further options may follow the values of the config.
: "${REPO:?}" "${DATA:=data/cityscapes}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=4}"
: "${STEPS:=500}" "${DEVICE:=gpu}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=paddle.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/paddle.bash"
declare -A levels=([fp32]="fp32" [tf32]="fp32" [amp]="fp16 --amp_level O1" [fp16]="fp16 --amp_level O2")
read -ra level <<< "--precision ${levels[$PRECISION]:?fp32, tf32, amp and fp16 are possible}"
env=(PYTHONPATH=".${PYTHONPATH:+:$PYTHONPATH}")  # tools/train.py imports paddleseg from the checkout
[[ $DEVICE == gpu ]] || env=(-u CUDA_VISIBLE_DEVICES "${env[@]}")  # set but empty, it stops the distributed launch
cd "$REPO"
native env "${env[@]}" python "${launch[@]}" tools/train.py \
  --config configs/deeplabv3p/deeplabv3p_resnet50_os8_cityscapes_1024x512_80k.yml \
  --device "$DEVICE" --iters "$STEPS" --batch_size "$BATCH_SIZE" --num_workers 8 --log_iters "$every" \
  --save_dir "$WORK" "${level[@]}" \
  --opts model.backbone.pretrained=None train_dataset.dataset_root="$DATA" "${extra[@]}"
