#!/bin/sh
# Runs every test of this folder and prints its result in the Test Anything Protocol.

cd "$(dirname "$0")/.." || exit 1
n=0
failed=0
for test in tests/*_test.sh; do
    n=$((n + 1))
    if sh "$test"; then
        echo "ok $n - $test"
    else
        echo "not ok $n - $test"
        failed=1
    fi
done
echo "1..$n"
exit $failed
