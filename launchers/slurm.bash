# shellcheck shell=bash
# Submits the job script $1, prints what the job prints, and ends with its exit status; SIGTERM cancels the job.
# The job writes to the file $2, which all nodes can reach.
set -uo pipefail
: > "$2"
sbatch --wait --parsable --output="$2" "$1" > "$2.id" &
submitted=$!
trap 'scancel "$(cut -d ";" -f 1 "$2.id")"; rm -f "$2" "$2.id"; exit 143' TERM
tail --bytes=+1 --follow --sleep-interval=0.2 --pid="$submitted" "$2" &
wait "$!"
wait "$submitted"
status=$?
rm -f "$2" "$2.id"
exit "$status"
