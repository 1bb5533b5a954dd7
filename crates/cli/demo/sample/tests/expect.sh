# expect CODE COMMAND…: the command ends with this exit code, or the test ends here.
expect() {
    wanted=$1
    shift
    code=0
    "$@" >/dev/null 2>&1 || code=$?
    if [ "$code" -ne "$wanted" ]; then
        echo "      expected exit $wanted, got $code: $*"
        exit 1
    fi
}
