//! The kinds of runs: their files, their commands, and what the simulated model answers.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::agent_scripts::{self, FaultyAgent};
use super::world::FaultWorld;

/// The folder with the scripted agent and the project of the pipeline's tests.
const PIPELINE_FILES: &str = "crates/gemicro-cli/tests/it/pipeline";

/// The messages of the chat.
pub(crate) const MESSAGES: [&str; 2] = ["Remember the word WALRUS.", "which word?"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RunKind {
    /// Research without a model.
    Offline,
    /// Research with a model.
    Research,
    /// One task for an agent.
    Prompt,
    /// Two turns of a conversation.
    Chat,
    /// Model calls and shell commands.
    Batch,
    /// A loop that raises coverage.
    Ooda,
    /// A task that becomes a branch.
    Pipeline,
}

impl RunKind {
    pub(crate) const ALL: [Self; 7] = [
        Self::Offline,
        Self::Research,
        Self::Prompt,
        Self::Chat,
        Self::Batch,
        Self::Ooda,
        Self::Pipeline,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Research => "research",
            Self::Prompt => "prompt",
            Self::Chat => "chat",
            Self::Batch => "batch",
            Self::Ooda => "ooda",
            Self::Pipeline => "pipeline",
        }
    }

    /// Whether gemicro itself calls the model.
    pub(crate) const fn asks_model(self) -> bool {
        matches!(self, Self::Research | Self::Chat | Self::Batch | Self::Ooda)
    }

    /// The rules of the simulated model.
    pub(crate) fn scenario(self) -> Option<String> {
        let rules = match self {
            Self::Offline | Self::Prompt | Self::Pipeline => return None,
            Self::Research => RESEARCH.to_owned(),
            Self::Chat => CHAT.to_owned(),
            Self::Batch => "  - { name: answers, reply: { text: 'An answer.' } }\n".to_owned(),
            Self::Ooda => {
                let answer = json!(format!("```diff\n{NEW_TEST}```\n"));
                format!("  - {{ name: test, reply: {{ text: {answer} }} }}\n")
            }
        };
        Some(format!("scenario: faults\nrules:\n{rules}"))
    }

    /// Writes the files that a run works with.
    pub(crate) fn prepare(self, root: &Path, world: &FaultWorld) -> Result<()> {
        match self {
            Self::Offline => {
                for (name, text) in DOCUMENTS {
                    world.write(&format!("project/docs/{name}"), text)?;
                }
            }
            Self::Research | Self::Chat => {}
            Self::Prompt => agent_scripts::install(world, FaultyAgent::Good)?,
            Self::Batch => world.write("project/batch.json", &batch().to_string())?,
            Self::Ooda => {
                for (name, text) in OODA_PROJECT {
                    world.write(&format!("project/{name}"), text)?;
                }
                world.shell("git init -q -b main && git add -A && git commit -q -m begin")?;
            }
            Self::Pipeline => pipeline(root, world)?,
        }
        Ok(())
    }

    /// The arguments that start the run.
    pub(crate) fn start(self) -> Vec<&'static str> {
        let line = match self {
            Self::Offline => "research --offline --source docs --format jsonl",
            Self::Research => "research --no-web --idle-timeout 2 --format jsonl",
            Self::Prompt => {
                "ask --agent gemini --sandbox read-only --max-retries 1 --timeout 2 --max-duration 20 --cd . --format jsonl"
            }
            Self::Chat => {
                "chat --plain --format json --summariser none --timeout 4 --model api:gemini-3.5-flash"
            }
            Self::Batch => "batch submit batch.json --key faults --no-resident --format json",
            Self::Ooda => "ooda --auto --format jsonl",
            Self::Pipeline => "run --agent gemini --branch task/farewell --format jsonl --task",
        };
        let mut words: Vec<&str> = line.split(' ').collect();
        words.extend(match self {
            Self::Offline => Some("How high is the lighthouse?"),
            Self::Research => Some("What is it?"),
            Self::Prompt => Some("Do it"),
            Self::Pipeline => Some("Say farewell: bye.sh prints bye."),
            Self::Chat | Self::Batch | Self::Ooda => None,
        });
        words
    }
}

const DOCUMENTS: [(&str, &str); 3] = [
    (
        "lighthouse.md",
        "# Port Amsel lighthouse\n\nThe Port Amsel lighthouse is 31 metres high. It was built in 1874.\n",
    ),
    (
        "ferry.md",
        "# MV Alder Sound\n\nMV Alder Sound carries 435 passengers.\n",
    ),
    ("harbour.md", "# Harbour\n\nThe harbour has four berths.\n"),
];

const RESEARCH: &str = "  - { name: synthesize, when: { prompt_contains: 'Findings:' }, reply: { persona: researcher } }
  - { name: decompose, when: { prompt_contains: '\"sub_queries\"' }, reply: { json: { sub_queries: ['What is part 1 of it?', 'What is part 2 of it?', 'What is part 3 of it?'] } } }
  - { name: answer, reply: { persona: researcher, chunks: { sizes: [8] } } }
";

const CHAT: &str = "  - { name: told, when: { prompt_contains: ['which word', WALRUS] }, reply: { text: 'The word is WALRUS.' } }
  - { name: remembers, when: { prompt_contains: which word, history_contains: WALRUS }, reply: { text: 'The word is WALRUS.' } }
  - { name: answers, reply: { text: 'An honest answer.' } }
";

/// Model calls, and commands that leave one line each.
fn batch() -> Value {
    let prompts = (0..3).map(|n| {
        json!({ "task_id": format!("p{n}"), "type": "prompt", "parameters": { "prompt": format!("question {n}.") } })
    });
    let commands = (0..3).map(|n| {
        let command = format!("echo s{n} >> effects; sleep 0.05");
        json!({ "task_id": format!("s{n}"), "type": "execute_shell_command", "parameters": { "command": command } })
    });
    prompts.chain(commands).collect()
}

const OODA_PROJECT: [(&str, &str); 5] = [
    (
        "calc.sh",
        "add() {\n    echo $(($1 + $2))\n}\n\nsub() {\n    echo $(($1 - $2))\n}\n",
    ),
    ("tests/test_add.sh", ". ./calc.sh\n[ \"$(add 1 2)\" = 3 ]\n"),
    (".gitignore", "lcov.info\ntrace\n"),
    (
        "ooda.toml",
        "test = 'for t in tests/test_*.sh; do bash \"$t\" || exit 1; done'\ncoverage = 'bash cover.sh'\n\
         report = 'lcov.info'\ntarget = 100\nmutants = 0\nattempts = 1\npatience = 1\n",
    ),
    (
        "cover.sh",
        r#": > trace
for t in tests/test_*.sh; do
    bash -c 'PS4="+\${BASH_SOURCE}:\${LINENO}:"; exec 9>> trace; BASH_XTRACEFD=9; set -x; . "$0"' "$t" || exit 1
done
{
    echo "SF:calc.sh"
    for line in $(grep -n 'echo' calc.sh | cut -d: -f1); do
        echo "DA:$line,$(grep -c "calc.sh:$line:" trace)"
    done
    echo end_of_record
} > lcov.info
"#,
    ),
];

/// The test that the model writes.
const NEW_TEST: &str =
    "--- /dev/null\n+++ b/tests/test_sub.sh\n@@ -0,0 +1,2 @@\n+. ./calc.sh\n+[ \"$(sub 3 1)\" = 2 ]\n";

/// The repository and the agent of the pipeline's tests, with a workflow that has one check.
fn pipeline(root: &Path, world: &FaultWorld) -> Result<()> {
    let files = root.join(PIPELINE_FILES);
    let agent = std::fs::read_to_string(files.join("agent.sh"))?;
    agent_scripts::write(world, &agent)?;
    let mut script = Command::new("sh");
    script.arg(files.join("project.sh")).arg(world.path("project"));
    world.run_tool(&mut script)?;
    let initialised = world.command(&["init", "--dir", "."]).output()?;
    if !initialised.status.success() {
        bail!(
            "`gemicro init` failed: {}",
            String::from_utf8_lossy(&initialised.stderr)
        );
    }
    let file = world.path("project/.gemicro/workflow.yaml");
    let check = "checks:\n  - { name: tests, command: sh tests/run.sh, tests: true, timeout: 1m }";
    let workflow = std::fs::read_to_string(&file)?.replace("checks: []", check);
    std::fs::write(&file, workflow)?;
    world.shell("git add --all && git commit -q -m 'workflow: add it'")
}
