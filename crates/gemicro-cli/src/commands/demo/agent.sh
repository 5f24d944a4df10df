#!/bin/sh
# Plays every agent of `gemicro demo`, in the place of Gemini CLI: it reads the same prompts, works in the same sandbox
# on the same files, and is believed as little. Only what it says is written down beforehand.

if [ "$1" = --version ]; then
    echo 0.61.0
    exit 0
fi

prompt=$(cat)
found() { printf '%s\n' "$prompt" | sed -n "$1" | tail -n 1; }
role=$(found 's/^- You are the \(.*\), in phase .*$/\1/p')
nonce=$(found 's/^```json gemicro:\([A-Za-z0-9_-]*\)$/\1/p')
document=$(found 's/^Write `\(docs\/[^`]*\)`.*$/\1/p')
plan=$(found 's/^- `\(docs\/dev_docs\/plans\/[^`]*\)`.*$/\1/p')

# A name of its own for every session.
session=$(printf '%s' "$nonce" | sed 's/^\(.\{8\}\)\(.\{8\}\)$/\1-0000-4000-8000-0000\2/')

# What Gemini CLI prints: one JSON object a line.
escaped() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g' | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'; }
answer() {
    text=$(printf '%s\n\n```json gemicro:%s\n%s\n```' "$1" "$nonce" "$2")
    printf '{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"%s","model":"demo"}\n' "$session"
    printf '{"type":"message","timestamp":"2026-01-01T00:00:00Z","role":"assistant","content":"%s","delta":true}\n' "$(escaped "$text")"
    echo '{"type":"result","timestamp":"2026-01-01T00:00:00Z","status":"success","stats":{}}'
}
write() {
    mkdir -p "$(dirname "$1")"
    cat > "$1"
}

investigate() {
    sh bugs/rounding.sh && seen="passes" || seen="fails"
    write "$document" <<TEXT
# Diagnosis

\`sh bugs/rounding.sh\` $seen. \`price.sh\` divides with \`/\`, and arithmetic of the shell cuts the rest off: 199 * 107 / 100
is 212, where 212.93 is meant.

The cause is the last line of \`price.sh\`. Nothing else computes prices.
TEXT
    answer "The price is cut off instead of rounded." "{\"report_path\": \"$document\"}"
}

plan() {
    write "$document" <<'TEXT'
# Plan: round prices

## List of Reference Documents

The diagnostic report of this task, `README.md`.

## Detailed Logic

`price.sh` adds half a cent before it divides, so that the result is rounded and not cut off.

## Test Scenarios

- 199 cents and 7 % are 213 cents.
- What was right before stays so: 100 cents and 20 % are 120 cents.

## Documentation to Update

`README.md` says that prices are rounded.

## Expected Deliverables

`price.sh`, a test, and no bug in `bugs/rounding.sh` any more.

## Completion Checklist

- Prices are rounded to the next cent
- A test holds the rounding
- The documents say so

```json gemicro-plan
{
  "deliverables": ["price.sh", "tests/rounding_test.sh", "-bugs/rounding.sh"],
  "docs": ["README.md"],
  "tests": ["tests/rounding_test.sh"],
  "checklist": ["Prices are rounded to the next cent", "A test holds the rounding", "The documents say so"]
}
```
TEXT
    answer "The plan is written." "{\"plan_path\": \"$document\"}"
}

develop() {
    if [ -f bugs/rounding.sh ]; then
        sed 's|net \* (100 + tax) / 100|(net * (100 + tax) + 50) / 100|' price.sh > price.new && mv price.new price.sh
        git mv bugs/rounding.sh tests/rounding_test.sh
        sed -i 's/^# Fails today: \(.*\)$/# \1/' tests/rounding_test.sh
        echo 1.0.1 > VERSION
        sed -i 's/^## 1.0.0$/## 1.0.1\n\n- Prices are rounded to the next cent.\n\n## 1.0.0/' CHANGELOG.md
        sed -i 's/^Tests:/Prices are rounded to the next cent.\n\nTests:/' README.md
        what="price: round to the next cent"
    else
        sed 's|^echo .*|half=50\n[ "$net" -lt 0 ] \&\& half=-50\n\necho $(( (net * (100 + tax) + half) / 100 ))|' price.sh > price.new && mv price.new price.sh
        printf '# A refund is rounded like a price: away from zero.\ntest "$(sh price.sh -199 7)" = -213\n' > tests/refund_test.sh
        what="price: round refunds, too"
    fi
    write "$document" <<'TEXT'
# Verification

- [x] Prices are rounded to the next cent
- [x] A test holds the rounding
- [x] The documents say so

`sh tests/run.sh` was run; every test passed.
TEXT
    if ! sh tests/run.sh > /dev/null; then
        answer "A test fails." '{"status": "failed", "reason": "the tests fail"}'
        return
    fi
    git add -A && git commit -q -m "$what"
    answer "Implementation complete. Tests passed." \
        "{\"commit_hash\": \"$(git rev-parse HEAD)\", \"status\": \"success\", \"backlog_items\": [\"Take the number of decimals as an argument\"]}"
}

audit() {
    if [ -f tests/refund_test.sh ]; then
        write "$document" <<'TEXT'
# Review

Prices and refunds are rounded, and tests hold both.
TEXT
        answer "Review passed." "{\"verdict\": \"PASS\", \"review_path\": \"$document\"}"
    else
        write "$document" <<'TEXT'
# Review

- `price.sh -199 7` prints -212: half a cent is added to refunds, too, which rounds them towards zero. Round away from
  zero, and add a test.
TEXT
        answer "Refunds are rounded the wrong way." \
            "{\"verdict\": \"FAIL\", \"review_path\": \"$document\", \"feedback\": \"price.sh -199 7 prints -212: refunds are rounded towards zero\"}"
    fi
}

resolve() {
    # Both sides added lines at the same places: both stay.
    for file in $(git diff --name-only --diff-filter=U); do
        sed -i '/^<<<<<<< /d; /^=======$/d; /^>>>>>>> /d' "$file"
    done
    git add -A && git commit -q --no-edit
    answer "What both sides added stays." "{\"status\": \"success\", \"commit_hash\": \"$(git rev-parse HEAD)\"}"
}

case $role in
    Investigator) investigate ;;
    "Lead Analyst") answer "The report is sound." '{"verdict": "APPROVE"}' ;;
    Architect) plan ;;
    "Plan Reviewer" | "Lead Architect") answer "The plan does what is asked." '{"verdict": "APPROVE"}' ;;
    Developer) develop ;;
    Auditor) audit ;;
    "Integration Specialist") resolve ;;
    *) echo "the demo has no words for $role" >&2; exit 1 ;;
esac
