# Whoever keeps guessing is refused.
. tests/expect.sh
for _ in 1 2 3 4 5; do
    sh bin/login ada wrong >/dev/null 2>&1 || true
done
expect 3 sh bin/login ada lovelace
expect 0 sh bin/login grace hopper
