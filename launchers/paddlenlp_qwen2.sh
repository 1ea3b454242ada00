#!/usr/bin/env bash
# model: Qwen2.5-0.5B
# framework: PaddleNLP
# repository: https://github.com/PaddlePaddle/PaddleNLP
# commit: 0331b4c089f1b585a6b81fa10a2ce22d3eb92e3e
# licence: Apache-2.0
# gpu: fp32 tf32 bf16 fp16
# metric: interval_samples_per_second: [0-9.]+
# data: a folder with .bin and .idx of tokens, as llm/tools/preprocess/create_pretraining_data.py makes them
# case: accumulation=$ACCUMULATION sequence_length=$SEQUENCE_LENGTH
# published: https://github.com/PaddlePaddle/PaddleNLP/blob/a6f2a23c49f9288cc5f2062e002d3218a08fa4cf/llm/config/qwen/pretrain_argument_0p5b.json
# needs: paddlepaddle-gpu 3.0, requirements.txt, cached tokenizer and config of Qwen/Qwen2.5-0.5B
set -euo pipefail
# Its bf16 and fp16 compute everything in half precision (O2), as the configuration says.
: "${REPO:?}" "${DATA:=llm/data}" "${NODES:=1}" "${CARDS:=1}" "${PRECISION:=bf16}" "${BATCH_SIZE:=1}" "${ACCUMULATION:=1}"
: "${SEQUENCE_LENGTH:=1024}" "${STEPS:=200}" "${EXTRA:=}" "${MASTER:=}" "${NODE_RANK:=0}"
# shellcheck source=paddle.bash
. "${TACHOGRAPH_LAUNCHERS:-$(dirname "${BASH_SOURCE[0]}")}/paddle.bash"
declare -A levels=([fp32]="" [tf32]="" [bf16]="--bf16 true --fp16_opt_level O2" [fp16]="--fp16 true --fp16_opt_level O2")
read -ra level <<< "${levels[$PRECISION]?fp32, tf32, bf16 and fp16 are possible}"
((CARDS == 1)) || level+=(--sharding stage2)  # a single card has nobody to share with
[[ $DATA == /* ]] || DATA=../$DATA
cd "$REPO/llm"
# It would save the model at the end. It divides by eval_steps for the size of its data set even where it does not
# evaluate.
native env PYTHONPATH="..${PYTHONPATH:+:$PYTHONPATH}" test_ci_no_save_model=1 python "${launch[@]}" run_pretrain.py \
  --model_name_or_path Qwen/Qwen2.5-0.5B --input_dir "$DATA" --output_dir "$WORK" --data_cache "$WORK" \
  --overwrite_output_dir true --per_device_train_batch_size "$BATCH_SIZE" --gradient_accumulation_steps "$ACCUMULATION" \
  --max_seq_length "$SEQUENCE_LENGTH" --max_steps "$STEPS" --learning_rate 3e-05 --min_learning_rate 3e-06 \
  --warmup_steps 30 --weight_decay 0.01 --max_grad_norm 1.0 --dataloader_num_workers 1 --distributed_dataloader 1 \
  --logging_steps "$every" --save_strategy no --eval_steps 1000 --do_train true --disable_tqdm true "${level[@]}" "${extra[@]}"
