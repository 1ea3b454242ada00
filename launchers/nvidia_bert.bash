# shellcheck shell=bash disable=SC2034,SC2154
# What the launchers of phase 1 of NVIDIA's PyTorch BERT share; one reads it in place of native.bash, which is read here.
#
# pretrain CONFIG SEED   becomes the program, seen from its folder, with this config of a model

. "${BASH_SOURCE[0]%/*}/native.bash"
declare -A levels=([fp32]="" [tf32]="" [amp]="--fp16")
read -ra level <<< "${levels[$PRECISION]?fp32, tf32 and amp are possible}"
python=(python)
[[ $PRECISION != tf32 ]] || python=(env TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 python)  # torch asks for leave
launch=(-m torch.distributed.run --nproc_per_node "$((CARDS / NODES))")
((NODES == 1)) || launch+=(--nnodes "$NODES" --node_rank "$NODE_RANK" \
  --rdzv_endpoint "${MASTER:?host:port where the nodes meet}")
[[ $DATA == /* ]] || DATA=../../../$DATA  # it is seen from REPO

pretrain() {
  # Its batch is that of a card in one optimizer step.
  native "${python[@]}" "${launch[@]}" run_pretraining.py --input_dir="$DATA" --output_dir="$WORK" \
    --config_file="$1" --vocab_file=vocab/vocab --train_batch_size="$((BATCH_SIZE * ACCUMULATION))" \
    --gradient_accumulation_steps="$ACCUMULATION" --max_seq_length=128 --max_predictions_per_seq=20 --max_steps="$STEPS" \
    --warmup_proportion=0.2843 --learning_rate=6e-3 --seed="$2" "${level[@]}" --allreduce_post_accumulation \
    --allreduce_post_accumulation_fp16 --do_train --skip_checkpoint --json-summary /dev/null --disable_progress_bar \
    --num_workers=4 "${extra[@]}"
}
