# The login command knows its users.
. tests/expect.sh
expect 0 sh bin/login ada lovelace
expect 0 sh bin/login grace hopper
expect 1 sh bin/login ada hopper
expect 1 sh bin/login nobody lovelace
expect 2 sh bin/login ada
expect 2 sh bin/login '../ada' lovelace
