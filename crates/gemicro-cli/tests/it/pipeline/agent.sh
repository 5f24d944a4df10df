#!/bin/sh
# Plays every agent of the pipeline's tests in the place of Gemini CLI. Each role is a function; a test may put other
# functions in their places at the mark below.

if [ "$1" = --version ]; then
    echo 0.61.0
    exit 0
fi

prompt=$(cat)
found() { printf '%s\n' "$prompt" | sed -n "$1" | tail -n 1; }
role=$(found 's/^- You are the \(.*\), in phase .*$/\1/p')
nonce=$(found 's/^```json gemicro:\([A-Za-z0-9_-]*\)$/\1/p')
document=$(found 's/^Write `\(docs\/[^`]*\)`.*$/\1/p')

# What Gemini CLI prints: one JSON object a line.
escaped() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g' | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'; }
begin() {
    session=$(cat /proc/sys/kernel/random/uuid)
    echo "{\"type\":\"init\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"session_id\":\"$session\",\"model\":\"script\"}"
}
say() {
    begin
    printf '{"type":"message","timestamp":"2026-01-01T00:00:00Z","role":"assistant","content":"%s","delta":true}\n' "$(escaped "$1")"
    echo '{"type":"result","timestamp":"2026-01-01T00:00:00Z","status":"success","stats":{}}'
}
answer() { say "$(printf '%s\n\n```json gemicro:%s\n%s\n```' "$1" "$nonce" "$2")"; }
write() {
    mkdir -p "$(dirname "$1")"
    cat > "$1"
}

write_plan() {
    write "$document" <<'TEXT'
# Plan: say farewell

## List of Reference Documents

`README.md`.

## Detailed Logic

`bye.sh` prints one word.

## Test Scenarios

- `bye.sh` prints bye.

## Documentation to Update

`README.md` names `bye.sh`.

## Expected Deliverables

`bye.sh` and a test.

## Completion Checklist

- A farewell is printed
- A test holds it

```json gemicro-plan
{
  "deliverables": ["bye.sh", "tests/bye_test.sh"],
  "docs": ["README.md"],
  "tests": ["tests/bye_test.sh"],
  "checklist": ["A farewell is printed", "A test holds it"]
}
```
TEXT
}
plan() {
    write_plan
    answer "The plan is written." "{\"plan_path\": \"$document\"}"
}

approve() { answer "The plan does what is asked." '{"verdict": "APPROVE"}'; }

change() {
    [ -f bye.sh ] && return
    echo 'echo bye' > bye.sh
    echo 'test "$(sh bye.sh)" = bye' > tests/bye_test.sh
    echo '`bye.sh` says bye.' >> README.md
}
verify() {
    write "$document" <<'TEXT'
# Verification

- [x] A farewell is printed
- [x] A test holds it

`sh tests/run.sh` was run; every test passed.
TEXT
}
commit() { git add -A && git commit -q -m "$1"; }
claim() {
    answer "Implementation complete. Tests passed." \
        "{\"commit_hash\": \"$(git rev-parse HEAD)\", \"status\": \"success\"}"
}
develop() {
    change
    verify
    commit "bye: say farewell"
    claim
}

review() {
    write "$document" <<'TEXT'
# Review

The farewell is printed, and a test holds it.
TEXT
}
pass() { answer "Review passed." "{\"verdict\": \"PASS\", \"review_path\": \"$document\"}"; }
audit() {
    review
    pass
}

resolve() {
    sed -i '/^<<<<<<< /d; /^=======$/d; /^>>>>>>> /d' README.md
    git add -A && git commit -q --no-edit
    answer "Both lines stay." "{\"status\": \"success\", \"commit_hash\": \"$(git rev-parse HEAD)\"}"
}

# --- other functions of a test ---

case $role in
    Architect) plan ;;
    "Plan Reviewer") approve ;;
    Developer) develop ;;
    Auditor) audit ;;
    "Integration Specialist") resolve ;;
    *) echo "no words for $role" >&2; exit 1 ;;
esac
