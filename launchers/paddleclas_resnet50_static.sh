#!/usr/bin/env bash
# model: ResNet50
# framework: PaddleClas
# repository: https://github.com/PaddlePaddle/PaddleClas
# commit: d178931fca432204e6b7422bac4f92e09ff22fa4
# licence: Apache-2.0
# gpu: fp32 tf32 amp fp16
# metric: train step:.* ips: [0-9.]+ samples/sec\.
# data: ImageNet with its train_list.txt
# case: dali=$DALI
# published: https://github.com/PaddlePaddle/Perf/blob/e7a07c4d39e04de5e24652daaf02d204f0209acb/ResNet50V1.5/scripts/clas_fp32.sh
# differs: DALI also for FP32 on 1 and 8 cards (published without: DALI=off); seed 1234 also on 32 cards (published without); one epoch of images drawn with replacement
# needs: paddlepaddle-gpu 2.6, nvidia-dali-cuda110, protobuf 4.25, requirements.txt
set -euo pipefail
: "${REPO:?}" "${DATA:=dataset/ILSVRC2012}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=fp32}" "${BATCH_SIZE:=256}"
: "${STEPS:=500}" "${EPOCHS:=1}" "${DALI:=on}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=paddle.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/paddle.bash"
declare -A configs=([fp32]="ResNet50" [tf32]="ResNet50" [amp]="ResNet50_amp_O1_ultra" [fp16]="ResNet50_amp_O2_ultra")
declare -A loaders=([on]="True" [off]="False")
config="${configs[$PRECISION]:?fp32, tf32, amp and fp16 are possible}"
use_dali="${loaders[$DALI]:?on and off are possible}"
flags=(FLAGS_eager_delete_tensor_gb=0.0 FLAGS_fraction_of_gpu_memory_to_use=0.8 FLAGS_cudnn_exhaustive_search=1 \
  FLAGS_conv_workspace_size_limit=4000 FLAGS_cudnn_batchnorm_spatial_persistent=1 FLAGS_max_inplace_grad_add=8)
# The program knows epochs only, so an epoch gets a list of its own: as many images as it takes, drawn from the whole.
images=$((BATCH_SIZE * CARDS * ((STEPS + EPOCHS - 1) / EPOCHS)))
# shellcheck disable=SC2016  # the shell that makes the list expands it
drawn='shuf --repeat --head-count="$1" --output="$2" "$3" && shift 3 && exec "$@"'
cd "$REPO"
native env "${flags[@]}" bash -c "$drawn" drawn "$images" "$WORK/train_list.txt" "$DATA/train_list.txt" \
  python "${launch[@]}" ppcls/static/train.py -c "ppcls/configs/ImageNet/ResNet/$config.yaml" \
  -o Global.output_dir="$WORK" -o Global.epochs="$EPOCHS" -o Global.seed=1234 -o Global.eval_during_train=False \
  -o Global.use_dali="$use_dali" -o DataLoader.Train.sampler.batch_size="$BATCH_SIZE" \
  -o DataLoader.Train.dataset.image_root="$DATA" -o DataLoader.Train.dataset.cls_label_path="$WORK/train_list.txt" \
  -o DataLoader.Train.loader.num_workers=8 -o fuse_elewise_add_act_ops=True -o enable_addto=True "${extra[@]}"
