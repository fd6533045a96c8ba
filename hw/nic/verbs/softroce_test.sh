#!/bin/sh
# Runs in the Soft-RoCE guest: two processes over the exchange, and what goes wrong, injected.
# Every fault must end in its exit status with a message, keep finished rows, and leave no process.
set -u
failed=0
rows() { if [ -e "$1" ]; then grep -c 'qpcast.measurement/1' "$1"; else echo 0; fi; }  # not notes
wait_rows() {  # FILE COUNT: until the run has written that many rows
  for i in $(seq 300); do [ "$(rows "$1")" -ge "$2" ] && return 0; sleep 0.1; done
  echo "FAILED: $1 has $(rows "$1") rows, $2 awaited"; failed=1
}
expect() {  # NAME STATUS WANTED-STATUS MESSAGE: what the client's log must contain
  if [ "$2" = "$3" ] && grep -q "$4" client.log; then echo "passed: $1: $(tail -1 client.log)"
  else echo "FAILED: $1: status $2, wanted $3 and '$4'"; cat client.log; failed=1; fi
  sleep 1
  if pidof qpcast >/dev/null; then echo "FAILED: $1: a process is left"; failed=1; killall qpcast; fi
}
serve() {
  qpcast measure --nic verbs --server 127.0.0.1 -p 18600 --token t >server.log 2>&1 & server=$!
}
client="qpcast measure --nic verbs -F --client 127.0.0.1 -p 18600 --token t"

rm -f ./*.jsonl
serve
$client --experiment handoff --experiment "payload sweep" --passes 1 -o two.jsonl >client.log 2>&1
expect "two processes measure over the exchange" $? 0 "rows measured"
wait $server || { echo "FAILED: the server's status"; cat server.log; failed=1; }

serve
qpcast measure --nic verbs -F --client 127.0.0.1 -p 18600 --token wrong -o wrong.jsonl >client.log 2>&1
expect_status=$?; kill $server; wait $server 2>/dev/null
expect "a wrong token is turned away" $expect_status 3 "closed the connection"

serve
$client --plan full --experiment batching -o peer.jsonl >client.log 2>&1 & run=$!
wait_rows peer.jsonl 2; kill -9 $server; wait $run
expect "the peer dies" $? 3 "peer"
[ "$(rows peer.jsonl)" -ge 2 ] || { echo "FAILED: rows lost"; failed=1; }

qpcast measure --nic verbs -F --plan full --experiment batching -o stop.jsonl >client.log 2>&1 & run=$!
wait_rows stop.jsonl 2; kill -TERM $run; wait $run
expect "a signal" $? 130 "interrupted"
kept=$(rows stop.jsonl)
printf '{"schema":"qpcast.measurement/1","id":"torn' >>stop.jsonl
qpcast measure --nic verbs -F --plan full --passes 1 --experiment batching -o stop.jsonl >client.log 2>&1
expect "the next run mends the torn line and continues" $? 0 "$kept kept"

mkdir -p /tmp/small; mount -t tmpfs -o size=8k tmpfs /tmp/small
qpcast measure --nic verbs -F --passes 1 --experiment "single operation" -o /tmp/small/full.jsonl >client.log 2>&1
expect "the disk is full" $? 3 "disk full"
[ "$(rows /tmp/small/full.jsonl)" -ge 1 ] || { echo "FAILED: no finished row on the full disk"; failed=1; }

qpcast measure --nic verbs -F --plan full --patience 3000 --experiment batching -o gone.jsonl >client.log 2>&1 & run=$!
# Soft-RoCE's driver waits for its users before it goes; its interface does not.
wait_rows gone.jsonl 2; ip link delete d0; wait $run
expect "the interface is removed" $? 3 "qpcast: "
[ "$(rows gone.jsonl)" -ge 2 ] || { echo "FAILED: rows lost"; failed=1; }
exit $failed
