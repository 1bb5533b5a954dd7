# AC-001 to AC-003 at their edges: the third failure locks, for this user only, for a minute.
. tests/expect.sh
. lib/limit.sh
LIMIT_NOW=1000
limit_fail ada
limit_fail ada
expect 1 limit_is_locked ada
limit_fail ada
expect 0 limit_is_locked ada
expect 1 limit_is_locked grace
LIMIT_NOW=1059
expect 0 limit_is_locked ada
LIMIT_NOW=1060
expect 1 limit_is_locked ada
