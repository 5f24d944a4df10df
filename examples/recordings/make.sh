#!/bin/sh
# Records the examples again, against the simulator: sh examples/recordings/make.sh [path of gemicro]
# Needs git, and for the loop cargo with llvm-cov, as examples/ooda-rust does.
set -eu
gemicro=$(command -v "${1:-gemicro}")
case $gemicro in /*) ;; *) gemicro=$PWD/$gemicro ;; esac
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/gemicro-example
rm -rf "$work"
mkdir -p "$work/docs"
cd "$work"
export GEMICRO_HOME="$work/state" GEMICRO_RESIDENT=off GEMINI_API_KEY=sim NO_COLOR=1

serve() {
    "$gemicro" sim serve "$@" > "$work/address" 2> "$work/sim.log" &
    server=$!
    while ! grep -q '^http' "$work/address"; do sleep 0.1; done
    GOOGLE_GEMINI_BASE_URL=$(head -n 1 "$work/address")
    export GOOGLE_GEMINI_BASE_URL
}
stop() { kill "$server"; wait "$server" || true; }

cat > docs/lighthouse.md <<'END'
# Port Amsel lighthouse

The Port Amsel lighthouse is 31 metres high. It was built in 1874 by Ida Brandt.
END

serve
"$gemicro" research --source docs --no-web --record "$here/research.recording" \
    "How high is the Port Amsel lighthouse, and who built it?" > research.txt
seq 1 20 | sed 's/.*/Message &: what did I say before?/' |
    "$gemicro" chat --plain --model api:gemini-3.5-flash --record "$here/chat.recording" > chat.txt
cat > tasks.json <<'END'
{"tasks": [
  {"task_id": "list", "type": "execute_shell_command", "parameters": {"command": "ls docs"}},
  {"task_id": "why", "type": "prompt", "parameters": {"prompt": "Why is the sky blue?"}},
  {"task_id": "missing", "type": "execute_shell_command", "parameters": {"command": "cat nothing"}},
  {"task_id": "height", "type": "research", "parameters": {"question": "How high is the Port Amsel lighthouse?", "sources": ["docs"], "offline": true}},
  {"task_id": "after", "type": "prompt", "depends_on": ["why"], "parameters": {"prompt": "And at night?"}}
]}
END
"$gemicro" batch submit tasks.json --no-resident --record "$here/batch.recording" > batch.json || true
stop

cp -r "$here/../ooda-rust" loop
cd loop
rm -rf target
git init -q -b main && git add -A && git -c user.name=Ada -c user.email=ada@example.com commit -q -m begin
serve --scenario scenario.yaml
"$gemicro" ooda --auto --record "$here/ooda.recording" > ../ooda.txt
stop
cd ..

# The demo's agents are played from a script; its workflow is the built-in one. First the demo itself, in bugfix mode.
"$gemicro" demo --dir "$work/demo" > demo.txt
GEMICRO_HOME="$work/demo/state" "$gemicro" export last --recording "$here/bugfix.recording"

# Then the default mode, in the same repository: main has moved on since, so there is a conflict to resolve.
(
    . "$work/demo/env.sh"
    cd "$work/demo/price"
    "$gemicro" run --branch task/rounding --record "$here/pipeline.recording" \
        --task "Fix the rounding of prices: bugs/rounding.sh fails, because price.sh cuts cents off." > "$work/run.txt"
)

"$gemicro" test "$here"/*.recording
