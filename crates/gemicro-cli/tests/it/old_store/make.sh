#!/usr/bin/env bash
# Writes a store with every kind of run, by the program given as the first argument, into the folder given as the
# second. The test `old_store` opens the result with the current program.
set -uo pipefail
gemicro=$(realpath "$1"); out=$(realpath -m "$2")
base=/tmp/gemicro-fixture
rm -rf "$base"; mkdir -p "$base/docs" "$base/user" "$base/project"
export HOME=$base/user GEMICRO_HOME=$base/home GEMINI_API_KEY=sim GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com
cd "$base"
say() { echo "== $*"; }
say demo; "$gemicro" demo --dir "$base/demo" | tail -3
. "$base/demo/env.sh"; cd "$base"; export HOME=$base/user GEMICRO_HOME=$base/demo/state GEMINI_API_KEY=sim
echo "The mill turns at 12 rpm. It was built in 1874 by Ada Stone." > docs/mill.md
cat > scenario.yaml <<'Y'
scenario: fixture
rules:
  - { name: refused, when: { prompt_contains: "never answered" }, fault: { http: { status: 400, message: "no" } } }
  - { name: slow, when: { prompt_contains: "slow question" }, reply: { text: "done", gate: { name: slow } } }
  - { name: synthesize, when: { prompt_contains: 'Findings:' }, reply: { persona: researcher } }
  - { name: decompose, when: { prompt_contains: '"sub_queries"' }, reply: { json: { sub_queries: ["What is part 1 of it?", "What is part 2 of it?"] } } }
  - { name: a test, when: { prompt_contains: "unified diff" }, reply: { text: "```diff\n--- /dev/null\n+++ b/tests/test_sub.sh\n@@ -0,0 +1,2 @@\n+. ./calc.sh\n+[ \"$(sub 3 1)\" = 2 ]\n```\n" } }
  - { name: answer, reply: { persona: researcher } }
Y
"$gemicro" sim serve --scenario scenario.yaml --port 4791 >/dev/null 2>sim.log & sim=$!
trap 'kill $sim; "$gemicro" worker stop >/dev/null 2>&1' EXIT
export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:4791
sleep 1
say offline; "$gemicro" research --offline --source docs "Who built the mill?"
say model; "$gemicro" research --no-web "What is it?"
say with sources; "$gemicro" research --no-web --source docs "Who built the mill?"
say failed; "$gemicro" research --no-web --max-queries 1 "never answered"
say killed; "$gemicro" research --no-web "a slow question" & killed=$!; sleep 4; kill -9 $killed; wait $killed
say batch
cat > batch.json <<'J'
[{"task_id":"a","type":"prompt","parameters":{"prompt":"Say one word."}},
 {"task_id":"b","type":"execute_shell_command","parameters":{"command":"echo hello"}},
 {"task_id":"c","type":"execute_shell_command","parameters":{"command":"exit 3"}},
 {"task_id":"d","type":"prompt","depends_on":["c"],"parameters":{"prompt":"never sent"}},
 {"task_id":"e","type":"research","parameters":{"query":"What is it?","web":false}},
 {"task_id":"f","type":"propose_strategy","parameters":{"scope":"rust","limit":3}}]
J
"$gemicro" batch submit batch.json --dir project | tail -c 300; sleep 6; "$gemicro" batch poll last | tail -c 400
say open batch; echo '[{"task_id":"s","type":"prompt","parameters":{"prompt":"a slow question"}},{"task_id":"t","type":"prompt","parameters":{"prompt":"Say it."}}]' > open.json
"$gemicro" batch submit open.json --dir project; sleep 4
say chat; printf 'Hello there.\nWe use port 8123 for the mill.\n/quit\n' | "$gemicro" chat --cd project --model gemini-3-flash-preview
say ask; mkdir agents; cat > agents/gemini <<'C'
#!/bin/sh
[ "$1" = --version ] && { echo 0.61.0; exit 0; }
cat >/dev/null
echo '{"type":"init","timestamp":"2026-11-15T10:00:00Z","session_id":"10eac96a-83a2-42b4-ab4b-78aa9e87c983","model":"gemini-3.5-flash"}'
echo '{"type":"message","timestamp":"2026-11-15T10:00:00Z","role":"assistant","content":"So far so good. ","delta":true}'
echo '{"type":"result","timestamp":"2026-11-15T10:00:01Z","status":"success","stats":{}}'
C
chmod +x agents/gemini; demo_path=$PATH; export PATH=$base/agents:$PATH
printf 'Hello there.\nWe use port 8123 for the mill.\n/quit\n' | "$gemicro" chat --cd project
"$gemicro" ask --agent gemini --cd project --max-retries 0 "Do it" | tail -3
say ooda; cd project
cat > calc.sh <<'C'
add() {
    echo $(($1 + $2))
}

sub() {
    echo $(($1 - $2))
}
C
mkdir tests; printf '. ./calc.sh\n[ "$(add 1 2)" = 3 ]\n' > tests/test_add.sh
cat > cover.sh <<'C'
: > trace
for t in tests/test_*.sh; do
    bash -c 'PS4="+\${BASH_SOURCE}:\${LINENO}:"; exec 9>> trace; BASH_XTRACEFD=9; set -x; . "$0"' "$t" || exit 1
done
{
    echo "SF:calc.sh"
    for line in $(grep -n 'echo\|return\|if ' calc.sh | cut -d: -f1); do
        echo "DA:$line,$(grep -c "calc.sh:$line:" trace)"
    done
    echo end_of_record
} > lcov.info
C
cat > ooda.toml <<'C'
test = 'for t in tests/test_*.sh; do bash "$t" || exit 1; done'
coverage = 'bash cover.sh'
report = 'lcov.info'
target = 100
mutants = 0
attempts = 1
patience = 1
C
printf 'lcov.info\ntrace\n' > .gitignore
git init -q -b main; git add -A; git commit -qm begin
"$gemicro" ooda --auto 2>&1 | tail -5
cd "$base"; bash -c 'cd project && bash cover.sh'
echo '[{"task_id":"p","type":"propose_test","parameters":{"target_file":"calc.sh","target_line_range":"5-7"}}]' > propose.json
say propose; "$gemicro" batch submit propose.json --dir project | tail -c 300; sleep 4; "$gemicro" batch poll last | tail -c 500
export PATH=$demo_path; cd demo/price; say pipeline killed; "$gemicro" run "Round prices again." > ../../killed.log 2>&1 & killed=$!; sleep 5; kill -9 $killed; wait $killed
cd "$base"; say runs; "$gemicro" runs
"$gemicro" worker status
"$gemicro" conversations list
kill -9 $("$gemicro" worker status | sed -n "s/.*process \([0-9]*\).*/\1/p"); sleep 1
mkdir -p "$out/store"; cd "$base/demo/state"; cp -a gemicro.db gemicro.db-wal gemicro.db-written format.lock blobs "$out/store/"
python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("pragma wal_checkpoint(truncate)")' "$out/store/gemicro.db"
{
    echo '{'
    "$gemicro" runs --format json | grep -o '"run":"[^"]*"' | cut -d'"' -f4 | while read -r run; do
        echo "\"$run\": $("$gemicro" show "$run" --format json),"
    done | sed '$ s/,$//'
    echo '}'
} > "$out/shown.json"
