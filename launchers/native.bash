# shellcheck shell=bash disable=SC2034,SC2153
# What all launchers share; a launcher reads it after it has given its variables their defaults, or a file that reads it.
#
# REPO                becomes an absolute path
# WORK                becomes the absolute path of the folder of this run alone, for whatever its program writes; where
#                     none is given it is a new one in TMPDIR
# every               the steps from one line of the program to the next: 10, or STEPS if these are fewer
# extra               the words of EXTRA, split as a shell would split them; nothing in them is executed
# native COMMAND...   becomes the native command; with DRY_RUN set it only prints it, as a shell that knows REPO and WORK
#                     reads it

for count in NODES CARDS BATCH_SIZE STEPS EPOCHS ACCUMULATION SEQUENCE_LENGTH; do
  [[ ${!count-1} =~ ^[1-9][0-9]*$ ]] || { echo "$count is ${!count}; expected a whole number of at least 1" >&2; exit 2; }
done
script=$(< "$0")
if [[ ${DATA-} && $script == *$'\n# data: synthetic'* ]]; then
  echo "DATA is not used with synthetic data; omit it" >&2
  exit 2
elif [[ ${DATA-} == synthetic && $script != *$'\n# synthetic: '* ]]; then
  echo "the program cannot generate data; DATA is a folder, such as ./synthetic" >&2
  exit 2
fi
REPO=$(CDPATH='' cd -- "$REPO" && pwd)
if [[ ${DRY_RUN-} ]]; then
  WORK=@WORK@  # a text that no other part of the command holds, and that `spell` finds
else
  WORK=${WORK:-$(mktemp -d)}
  mkdir -p -- "$WORK"
  WORK=$(CDPATH='' cd -- "$WORK" && pwd)
fi
every=$((STEPS < 10 ? STEPS : 10))
if [[ ! ${DRY_RUN-} && ${MASTER-} ]] && ((NODES > 1)) && grep -q paddle.distributed.launch "${BASH_SOURCE[1]}"; then
  . "${BASH_SOURCE[0]%/*}/meet.bash"
  meet
fi
extra=()
if [[ $EXTRA ]]; then
  xargs true <<< "$EXTRA" > /dev/null  # stops here at an open quote
  readarray -d '' -t extra < <(xargs -r printf '%s\0' <<< "$EXTRA")
fi

native() {
  # Cards from Ampere on compute FP32 in TF32 unless they are told not to.
  [[ $PRECISION != fp32 || ${DEVICE-gpu} == cpu ]] || set -- env NVIDIA_TF32_OVERRIDE=0 "$@"
  [[ ${DRY_RUN-} ]] || exec "$@"
  local word
  printf 'cd '
  spell "$PWD"
  printf ' &&'
  for word; do
    printf ' '
    spell "$word"
  done
  printf '\n'
}

spell() {  # a word for a shell in which WORK and REPO may be others
  local name before after
  for name in WORK REPO; do
    [[ $1 == *"${!name}"* ]] || continue
    before=${1%%"${!name}"*} after=${1#*"${!name}"}
    [[ ! $before ]] || spell "$before"
    printf '"$%s"' "$name"
    [[ ! $after ]] || spell "$after"
    return
  done
  printf %q "$1"
}
