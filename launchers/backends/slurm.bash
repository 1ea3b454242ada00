# shellcheck shell=bash disable=SC2329  # the trap invokes it
# slurm.bash OUTPUT BEGUN ENDED ARGUMENTS   submits a job with these arguments of sbatch, prints what it writes to the
# file OUTPUT, and ends with its exit status; SIGTERM cancels it. The file OUTPUT.id holds its number as long as it may
# go on. A job script says in the file BEGUN where it runs, and in ENDED how it ended; where it does not, Slurm is asked.
set -uo pipefail
output=$1 begun=$2 ended=$3
: > "$output"
exec 3< "$output"
number="" is_cancelled=""

cancel() {
  is_cancelled=1
  # Out of reach of whoever ends this job: neither a child, nor in this session, nor with the mark of the run.
  [[ ! $number ]] || env --unset=TACHOGRAPH_RUN setsid --fork scancel "$number" > /dev/null
}
trap cancel TERM
# A signal to everybody here is not for sbatch, which says what there is to cancel.
number=$(trap '' TERM && exec sbatch --parsable "${@:4}") || exit
number=${number%%;*}
echo "$number" > "$output.id"
exec 2> /dev/null  # bash itself tells which of its children a signal ended, and paths of this machine with it
[[ ! $is_cancelled ]] || cancel

show() {  # what has come since the last time
  : < "$output"  # on NFS it is when a file is opened that its server is asked how long it is
  (trap '' TERM && exec cat <&3)
}

field() { [[ $job =~ (^| )$1=([^ ]*) ]] && echo "${BASH_REMATCH[2]}"; }

next=0
while :; do
  show
  sleep 0.2
  [[ -e $ended ]] || ((SECONDS >= next)) || continue
  ((next = SECONDS + 2))
  job=$(trap '' TERM && exec scontrol --oneliner show job "$number" 2>&1)
  case $(field JobState) in
    COMPLETED | BOOT_FAIL | CANCELLED | DEADLINE | FAILED | NODE_FAIL | OUT_OF_MEMORY | PREEMPTED | REVOKED | TIMEOUT) break ;;
    COMPLETING) [[ ! -e $ended ]] || break ;;
    "") [[ $job != *"Invalid job id"* ]] || break ;;
  esac
done
show
if [[ ! -e $begun && $(field NodeList) != "(null)" ]]; then
  printf '%s\n' "$number" "$(field Partition)" "$(field NodeList)" \
    "$(date --utc --date="$(field StartTime)" +%FT%T+00:00)" > "$begun"
fi
read -r status < "$ended" || status=$(field ExitCode)
status=${status%:*}  # of the signal that ended it
[[ $status != 0 || $(field JobState) == COMPLET* ]] || status=1
rm -f "$output" "$output.id"
exit "${status:-1}"
