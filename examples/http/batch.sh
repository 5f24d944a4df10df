#!/bin/sh
# Submits a batch with curl, waits for its end, and prints how each task ended.
# Needs GEMICRO_SERVER (such as http://127.0.0.1:8737) and GEMICRO_TOKEN.
set -eu
here=$(dirname "$0")
call() { curl --silent --show-error --fail-with-body -H "Authorization: Bearer $GEMICRO_TOKEN" "$@"; }

first=$(call -H 'Content-Type: application/json' -H "Idempotency-Key: ${1:-example}" \
    --data-binary "@$here/tasks.json" "$GEMICRO_SERVER/v1/batches")
id=$(printf '%s\n' "$first" | sed 's/.*"response_id":"\([^"]*\)".*/\1/')
echo "batch $id"

answer=$(call "$GEMICRO_SERVER/v1/batches/$id?wait=60")
while [ "${answer#*'"next_poll_interval_seconds":0'}" = "$answer" ]; do
    answer=$(call "$GEMICRO_SERVER/v1/batches/$id?wait=60")
done
printf '%s\n' "$answer"

echo "its events:"
call -H 'Accept: text/event-stream' "$GEMICRO_SERVER/v1/runs/$id/events" | grep '^event: '
