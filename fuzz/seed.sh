#!/bin/sh
# Makes the first corpus of the target agent_lines in the folder $1: every recorded conversation, behind the byte of its adapter.
set -eu
lines="$(dirname "$0")/../crates/agents/tests/agent_lines"
mkdir -p "$1"
number=0
for adapter in claude codex gemini opencode copilot qwen goose acp; do
    for file in "$lines/$adapter"-*/*.jsonl; do
        name="$(basename "$(dirname "$file")")-$(basename "$file" .jsonl)"
        { printf %s "$number"; cat "$file"; } > "$1/$name"
    done
    number=$((number + 1))
done
