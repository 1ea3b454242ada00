# shellcheck shell=bash disable=SC2034,SC2153
# What all launchers share; a launcher reads it after it has given its variables their defaults, or a file that reads it.
#
# REPO                becomes an absolute path
# extra               the words of EXTRA, split as a shell would split them; nothing in them is executed
# native COMMAND...   becomes the native command; with DRY_RUN set it only prints it, as a shell that knows REPO reads it

for count in NODES CARDS BATCH_SIZE STEPS EPOCHS ACCUMULATION SEQUENCE_LENGTH; do
  [[ ${!count-1} =~ ^[1-9][0-9]*$ ]] || { echo "$count is ${!count}; expected a whole number of at least 1" >&2; exit 2; }
done
if [[ ${DATA-} ]] && grep -q '^# data: synthetic' "$0"; then
  echo "DATA is not used with synthetic data; omit it" >&2
  exit 2
elif [[ ${DATA-} == synthetic ]] && ! grep -q '^# synthetic: ' "$0"; then
  echo "the program cannot generate data; DATA is a folder, such as ./synthetic" >&2
  exit 2
fi
REPO=$(CDPATH='' cd -- "$REPO" && pwd)
if [[ ! ${DRY_RUN-} && ${MASTER-} ]] && ((NODES > 1)) && grep -q paddle.distributed.launch "${BASH_SOURCE[1]}"; then
  . "$(dirname "${BASH_SOURCE[0]}")/meet.bash"
  meet
fi
xargs true <<< "$EXTRA" > /dev/null  # stops here at an open quote
readarray -d '' -t extra < <(xargs -r printf '%s\0' <<< "$EXTRA")

native() {
  # Cards from Ampere on compute FP32 in TF32 unless they are told not to.
  [[ $PRECISION != fp32 || ${DEVICE-gpu} == cpu ]] || set -- env NVIDIA_TF32_OVERRIDE=0 "$@"
  [[ ${DRY_RUN-} ]] || exec "$@"
  local folder=${PWD#"$REPO"}
  # shellcheck disable=SC2016  # the shell that runs the line expands it
  printf 'cd "$REPO"%s &&' "${folder:+$(printf %q "$folder")}"
  printf ' %q' "$@"
  printf '\n'
}
