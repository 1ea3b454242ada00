# shellcheck shell=bash disable=SC2329  # the trap invokes it
# Submits a job with the arguments of sbatch from $2 on, prints what it writes to the file $1, and ends with its exit
# status; SIGTERM cancels it. The file $1.id holds its number as long as it may go on.
set -uo pipefail
output=$1
: > "$output"
exec 3< "$output"
# A signal to everybody here is not for sbatch, which says what there is to cancel, and when that has ended.
(trap '' TERM && exec sbatch --parsable "${@:2}" > "$output.id") &
submitted=$!
exec 2> /dev/null  # bash itself tells which of its children a signal ended, and paths of this machine with it

cancel() {
  until [[ -s $output.id ]] || ! kill -0 "$submitted"; do sleep 0.1; done
  # Out of reach of whoever ends this job: neither a child, nor in this session, nor with the mark of the run.
  env --unset=TACHOGRAPH_RUN setsid --fork scancel "$(cut -d ";" -f 1 "$output.id")" > /dev/null
}
trap cancel TERM

show() {  # what has come since the last time
  : < "$output"  # on NFS it is when a file is opened that its server is asked how long it is
  (trap '' TERM && exec cat <&3)
}
while kill -0 "$submitted"; do
  show
  sleep 0.2
done
wait "$submitted"
status=$?
show
rm -f "$output" "$output.id"
exit "$status"
