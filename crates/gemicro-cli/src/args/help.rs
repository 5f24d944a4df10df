//! Texts below the generated help: examples and exit codes.

/// Below `gemicro --help`.
pub(crate) const AFTER_HELP: &str = "\
Examples:
  gemicro --offline --source docs \"How does a run survive a crash?\"
  gemicro runs
  gemicro show last
  gemicro resume last

RUN is the beginning of a run's id (4 characters or more), or `last`.

Exit codes:
  0    success
  1    a defect of gemicro
  2    the request is wrong
  3    this machine or account is not set up for it
  4    the model, its provider, an agent or a command failed
  5    a limit you set was reached
  6    there is honestly nothing to answer with (no evidence)
  7    somebody else holds the run, or it goes on in the background
  8    a guard refused what an agent did
  9    only some tasks of a batch completed
  10   waiting for a person: see `gemicro answer`
  130  stopped: Ctrl-C, cancel

Environment:
  GEMINI_API_KEY   the key of the model (else GOOGLE_API_KEY); never an argument
  GEMICRO_HOME     the state folder; `gemicro doctor` shows it
  GEMICRO_LOG      log filter, such as gemicro_store=debug
  NO_COLOR         no colours";

/// Below `gemicro research --help`.
pub(crate) const RESEARCH_EXAMPLES: &str = "\
Examples:
  gemicro research --offline --source docs \"How does a run survive a crash?\"
  gemicro --offline -s notes -s papers \"Who decided?\" --format markdown --out answer.md
  gemicro research --offline --source docs --plan \"What changed in 2.0, and why?\"
  gemicro research --offline --source docs --questions questions.jsonl --format jsonl
  echo \"long question\" | gemicro research --offline --source docs -

Each line of a questions file is a JSON object with `id` and `question`.
Exit codes are listed in `gemicro --help`; 6 means that the sources hold no answer.";

/// Below `gemicro ask --help`.
pub(crate) const ASK_EXAMPLES: &str = "\
Examples:
  gemicro ask --cd . --sandbox read-only \"Where is the retry policy decided?\"
  gemicro ask --cd app --agent claude --budget 200k \"Make the tests of the parser pass\"
  gemicro ask --cd . --model gpt-5.2-codex --format json \"Explain src/main.rs\"
  gemicro ask --cd . --session ID \"And now add a test\"
  gemicro ask --cd . --template review --contract ai/contracts/current.md \"Does src/parser keep it?\"

The agent runs in a sandbox and reaches its model through gemicro, which holds the key and the budget.
`gemicro doctor` says which agents can work here.";

/// Below `gemicro chat --help`.
pub(crate) const CHAT_EXAMPLES: &str = "\
Examples:
  gemicro chat
  gemicro chat --model claude --cd app
  gemicro chat --model api:gemini-3.5-flash
  gemicro chat --model openai:llama3.2
  gemicro chat last
  echo \"What changed since Monday?\" | gemicro chat last

Names after --model and /model: an agent (gemini, claude, codex), a model that an agent has (claude-opus-4-8), a model of
the Gemini API (api:NAME), or one of an OpenAI-compatible server (openai:NAME).
A conversation is named by the beginning of its id, or `last`; `gemicro conversations list` lists them.";

/// Below `gemicro ooda --help`.
pub(crate) const OODA_EXAMPLES: &str = "\
Examples:
  gemicro ooda --dry-run
  gemicro ooda --auto --target 90 --budget 200k
  gemicro ooda services/parser/ooda.toml
  gemicro ooda --decide decision.toml --format json

The file says what is run, in the sandbox, in a private copy of the repository:
  coverage = \"make coverage\"     # measures and writes the report
  test = \"make test\"             # ends with 0 when the tests pass
  report = \"coverage.info\"       # LCOV, llvm-cov JSON or Cobertura
  target = 90
Tests that pass, raise coverage and notice broken code become commits on task/coverage; your checkout stays as it is.
docs/ooda.md describes all keys.";

/// Below `gemicro run --help`.
pub(crate) const RUN_EXAMPLES: &str = "\
Examples:
  gemicro run --task \"Add a --json flag to the list command\" --dry-run
  gemicro run --task \"Add a --json flag to the list command\" --model claude-opus-4-8 --budget '$5'
  gemicro run --mode bugfix --task-file report.md --require-protection
  gemicro run --task \"Rename the setting timeout\" --branch task/rename-timeout --no-push

A budget in dollars needs a model with a known price: docs/costs.md lists them. The default model has none; give its
budget in tokens, such as --budget 2M.

Agents plan, review, write and audit on a branch of their own, in a sandbox; gemicro runs the checks itself, commits the
documents and merges main. Your checkout stays as it is. `gemicro show`, `gemicro diff` and `gemicro retry RUN --from PHASE`
go on from there; docs/pipeline.md describes the phases.";

/// Below `gemicro init --help`.
pub(crate) const INIT_EXAMPLES: &str = "\
Examples:
  gemicro init
  gemicro init --dir services/parser
  gemicro init --force

It writes .gemicro/workflow.yaml and .gemicro/prompts/*.md. Without --force what is there stays.
Prompts that are left out or deleted are taken from gemicro itself.";

/// Below `gemicro workflow --help`.
pub(crate) const WORKFLOW_EXAMPLES: &str = "\
Examples:
  gemicro workflow check
  gemicro workflow check .gemicro/workflow.yaml --agent claude
  gemicro workflow show --format mermaid

Without a file it is .gemicro/workflow.yaml of this folder or one above it, up to the top
of the repository; where there is none, the workflow in gemicro itself.
docs/workflows.md describes all keys.";

/// Below `gemicro mcp --help`.
pub(crate) const MCP_EXAMPLES: &str = "\
Examples:
  gemicro mcp
  gemicro mcp --http 127.0.0.1:8750

Stdin and stdout carry the protocol and nothing else; notices go to stderr.
Over HTTP every request needs the token of the state folder, or of GEMICRO_TOKEN: Authorization: Bearer TOKEN.
docs/mcp.md describes the tools.";

/// Below `gemicro serve --help`.
pub(crate) const SERVE_EXAMPLES: &str = "\
Examples:
  gemicro serve
  gemicro serve --listen 127.0.0.1:0 --no-resident

Every request but GET /health needs the token of the state folder, or of GEMICRO_TOKEN: Authorization: Bearer TOKEN.
Tasks of batches work in the folder that the server was started in. GET /openapi.json lists all routes;
docs/http.md has examples.";
