#!/bin/sh
# Runs every tests/test_*.sh with a folder of its own for state; fails when one of them fails.
cd "$(dirname "$0")/.." || exit 1
failed=0
for test in tests/test_*.sh; do
    folder=$(mktemp -d) || exit 1
    if LIMIT_DIR="$folder/failures" sh -eu "$test"; then
        echo "ok    $test"
    else
        echo "FAIL  $test"
        failed=1
    fi
    rm -rf "$folder"
done
exit $failed
