# AC-001 and AC-003 through the command: two wrong guesses are forgiven, three are not.
. tests/expect.sh
expect 1 sh bin/login ada wrong
expect 1 sh bin/login ada wrong
expect 0 sh bin/login ada lovelace
expect 1 sh bin/login ada wrong
expect 1 sh bin/login ada wrong
expect 1 sh bin/login ada wrong
expect 3 sh bin/login ada lovelace
expect 0 sh bin/login grace hopper
