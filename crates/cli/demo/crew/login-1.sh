#!/bin/sh
# Says whether a user may come in: login USER PASSWORD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
users=${LOGIN_USERS:-$root/data/users}
LIMIT_DIR=${LIMIT_DIR:-$root/var/failures}
. "$root/lib/limit.sh"

if [ $# -ne 2 ]; then
    echo "usage: login USER PASSWORD" >&2
    exit 2
fi
user=$1
case $user in
    '' | *[!a-z0-9_-]*)
        echo "login: a user name has small letters, digits, '-' and '_' only" >&2
        exit 2
        ;;
esac

if limit_is_locked "$user"; then
    echo "login: too many failed logins" >&2
    exit 3
fi

known=$(sed -n "s/^$user://p" "$users")
given=$(printf '%s' "$2" | cksum | cut -d' ' -f1)
if [ -n "$known" ] && [ "$known" = "$given" ]; then
    limit_clear "$user"
    echo "welcome, $user"
else
    limit_fail "$user"
    echo "login: wrong user or password" >&2
    exit 1
fi
