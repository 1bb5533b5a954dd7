# Failures are counted, and a good login clears them.
. tests/expect.sh
. lib/limit.sh
expect 1 limit_is_locked ada
limit_fail ada
expect 1 limit_is_locked ada
for _ in 1 2 3 4 5 6 7 8 9; do
    limit_fail ada
done
expect 0 limit_is_locked ada
limit_clear ada
expect 1 limit_is_locked ada
