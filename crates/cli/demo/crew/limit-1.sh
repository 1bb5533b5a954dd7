# Counts failed logins per user; LIMIT_DIR says where. A user name must be safe as a file name.

limit_max=${LIMIT_MAX:-3}
limit_window_s=${LIMIT_WINDOW_S:-60}

limit_now() {
    echo "${LIMIT_NOW:-$(date +%s)}"
}

# limit_recent USER: how many failures lie inside the window
limit_recent() {
    oldest=$(($(limit_now) - limit_window_s))
    recent=0
    if [ -f "$LIMIT_DIR/$1" ]; then
        while read -r at; do
            if [ "$at" -gt "$oldest" ]; then
                recent=$((recent + 1))
            fi
        done <"$LIMIT_DIR/$1"
    fi
    echo "$recent"
}

limit_is_locked() {
    [ "$(limit_recent "$1")" -gt "$limit_max" ]
}

limit_fail() {
    mkdir -p "$LIMIT_DIR"
    limit_now >>"$LIMIT_DIR/$1"
}

limit_clear() {
    rm -f "$LIMIT_DIR/$1"
}
