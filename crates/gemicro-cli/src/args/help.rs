//! Texts below the generated help: examples and exit codes, 80 columns wide.

pub(crate) const AFTER_HELP: &str = "\
`gemicro COMMAND --help` describes a command and its options. RUN is the start
of a run's id (4 or more characters), or `last`.

Examples:
  gemicro demo
  gemicro --offline --source docs \"How does a run survive a crash?\"
  gemicro ask --cd . \"Explain src/main.rs\"
  gemicro run --task \"Add a --json flag to the list command\" --dry-run
  gemicro show last

Exit codes:
  0    success
  1    a bug in gemicro
  2    wrong request
  3    this machine or account is not set up for the request
  4    a model, provider, agent or command failed
  5    a limit you set was reached
  6    the sources contain no answer
  7    another process is using the run, or it continues in the background
  8    a guard rejected what an agent did, or a replay differs
  9    only some tasks of a batch completed
  10   waiting for your answer: see `gemicro answer`
  130  stopped by Ctrl-C, pause or cancel

Environment:
  GEMINI_API_KEY   key of the Gemini API (or GOOGLE_API_KEY)
  GEMICRO_HOME     the state folder; `gemicro doctor` shows it
  GEMICRO_LOG      log filter, such as gemicro_store=debug
  NO_COLOR         turns colours off";

/// Below `gemicro research --help`.
pub(crate) const RESEARCH_EXAMPLES: &str = "\
`gemicro \"QUESTION\"` is short for `gemicro research \"QUESTION\"`.

Examples:
  gemicro research --offline -s docs \"How does a run survive a crash?\"
  gemicro --offline -s notes -s papers \"Which plan won?\" --out answer.md
  gemicro research --offline -s docs --plan \"What changed in 2.0?\"
  gemicro research --offline -s docs --questions questions.jsonl
  echo \"long question\" | gemicro research --offline -s docs -

`gemicro --help` lists the exit codes; 6 means that the sources contain no
answer.";

/// Below `gemicro ask --help`.
pub(crate) const ASK_EXAMPLES: &str = "\
Examples:
  gemicro ask --cd . --sandbox read-only \"Where is the retry policy?\"
  gemicro ask --cd app --agent claude --budget 200k \"Fix the parser tests\"
  gemicro ask --cd . --model gpt-5.2-codex --format json \"Explain main.rs\"
  gemicro ask --cd . --session last \"And now add a test\"
  gemicro ask --template review --contract contract.md \"Check src/parser\"

The agent runs in a sandbox and reaches its model through gemicro, which keeps
the key and enforces the budget. `gemicro doctor` shows which agents are ready.";

/// Below `gemicro chat --help`.
pub(crate) const CHAT_EXAMPLES: &str = "\
Examples:
  gemicro chat
  gemicro chat --model claude --cd app
  gemicro chat --model api:gemini-3.5-flash
  gemicro chat --model openai:llama3.2
  gemicro chat last
  echo \"What changed since Monday?\" | gemicro chat last

Names for --model and /model:
  gemini, claude, codex   an agent
  claude-opus-4-8         a model of an agent
  api:NAME                a model of the Gemini API
  openai:NAME             a model of an OpenAI-compatible server

`gemicro conversations list` lists the conversations.";

/// Below `gemicro merge --help`.
pub(crate) const MERGE_EXAMPLES: &str = "\
Examples:
  gemicro merge --dry-run
  gemicro merge task/dark-mode task/login
  gemicro merge 5f3c2a --push            # the pipelines of a batch, in order

Each branch is merged on top of the ones before it, and the checks of the
workflow run on the result. A branch that conflicts or makes the checks fail is
taken out; the others continue. The target moves only to commits that passed.
Exit code 9: not everything was merged. docs/several-tasks.md describes it.";

/// Below `gemicro ooda --help`.
pub(crate) const OODA_EXAMPLES: &str = "\
Examples:
  gemicro ooda --dry-run
  gemicro ooda --auto --target 90 --budget 200k
  gemicro ooda services/parser/ooda.toml
  gemicro ooda --decide decision.toml --format json

The file contains the commands, which run in the sandbox in a private copy of
the repository:
  coverage = \"make coverage\"     # measures coverage and writes the report
  test = \"make test\"             # exits with 0 if the tests pass
  report = \"coverage.info\"       # LCOV, llvm-cov JSON or Cobertura
  target = 90
Tests that pass, raise coverage and detect broken code are committed to
task/coverage. Your checkout does not change. docs/ooda.md describes all keys.";

/// Below `gemicro run --help`.
pub(crate) const RUN_EXAMPLES: &str = "\
Examples:
  gemicro run --task \"Add a --json flag to the list command\" --dry-run
  gemicro run --task \"Add a --json flag\" --model claude-opus-4-8 --budget '$5'
  gemicro run --mode bugfix --task-file report.md --require-protection
  gemicro run --task \"Rename a setting\" --branch task/rename --no-push

Agents plan, review, write and audit on a new branch, in a sandbox. gemicro runs
the checks, commits the documents and merges main. Your checkout does not
change. To see the result, use `gemicro show` and `gemicro diff`; to repeat a
phase, use `gemicro retry RUN --from PHASE`. docs/pipeline.md describes the
phases.

A budget in dollars needs a model with a known price, see docs/costs.md. The
default model has none: give its budget in tokens, such as --budget 2M.";

/// Below `gemicro replay --help`.
pub(crate) const REPLAY_EXAMPLES: &str = "\
Examples:
  gemicro export last --recording bug.recording
  gemicro replay bug.recording
  gemicro replay bug.recording --until step_failed
  gemicro replay recordings/research.recording --update
  gemicro test recordings/*.recording --format junit

Exit code 8 means that this program does not do what was recorded; the first
difference is printed. docs/recordings.md describes the file.";

/// Below `gemicro init --help`.
pub(crate) const INIT_EXAMPLES: &str = "\
Examples:
  gemicro init
  gemicro init --dir services/parser
  gemicro init --force

It writes .gemicro/workflow.yaml and .gemicro/prompts/*.md. Existing files stay
unless you add --force. gemicro uses its built-in prompt for each prompt file
that is missing.";

/// Below `gemicro workflow --help`.
pub(crate) const WORKFLOW_EXAMPLES: &str = "\
Examples:
  gemicro workflow check
  gemicro workflow check .gemicro/workflow.yaml --agent claude
  gemicro workflow show --format mermaid

The default file is .gemicro/workflow.yaml in this folder or a folder above it,
up to the top of the repository. Without one, it is the built-in workflow.
docs/workflows.md describes all keys.";

/// Below `gemicro mcp --help`.
pub(crate) const MCP_EXAMPLES: &str = "\
Examples:
  gemicro mcp
  gemicro mcp --http 127.0.0.1:8750

Stdin and stdout carry only the protocol; log lines go to stderr. HTTP requests
need the token from the state folder or GEMICRO_TOKEN, in the header
`Authorization: Bearer TOKEN`. docs/mcp.md describes the tools.";

/// Below `gemicro serve --help`.
pub(crate) const SERVE_EXAMPLES: &str = "\
Examples:
  gemicro serve
  gemicro serve --listen 127.0.0.1:0 --no-resident

All requests except GET /health need the token from the state folder or
GEMICRO_TOKEN, in the header `Authorization: Bearer TOKEN`. Batch tasks work in
the folder in which the server was started. GET /openapi.json lists all routes;
docs/http.md has examples.";
