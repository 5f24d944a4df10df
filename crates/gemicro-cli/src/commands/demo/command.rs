//! Makes the repository, runs the pipeline on it, and says how to look at what came of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use clap::Args;
use gemicro_event::{ErrorKind, StreamId};
use gemicro_pipeline::documents::Feature;

use super::{project, spawn};
use crate::answer_source::GateArgs;
use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::commands;
use crate::commands::run::{ModeName, RunArgs};
use crate::output;
use crate::screen::text;
use crate::session::Context;

/// How often the colleague looks whether the task has begun.
const LOOK: Duration = Duration::from_millis(50);

/// Arguments of `gemicro demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// The folder to create for the demo; it must not exist [default: a new temporary folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Output format; jsonl prints every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PrintFormat,
}

pub(crate) fn run(ctx: &Context, args: &DemoArgs) -> Result<(), CommandError> {
    let folder = place(args)?;
    let (repository, agents) = (folder.join("price"), folder.join("agents"));
    let path = ctx.environment.get("PATH").unwrap_or("/usr/bin:/bin");
    let variables = variables(&folder, &format!("{}:{path}", agents.display()));
    let env_file = folder.join("env.sh");
    let made = project::write(&repository)
        .and_then(|()| project::write_agents(&agents))
        .and_then(|()| std::fs::write(&env_file, script(&variables, &agents, &repository)))
        .and_then(|()| spawn::script(project::BEGIN, &repository));
    made.map_err(|error| {
        let message = format!(
            "the demo's repository cannot be made in {}: {error}",
            folder.display()
        );
        CommandError::new_failure(
            ErrorKind::StorageError,
            message,
            "it needs git and a shell; choose another folder with --dir",
        )
    })?;
    let opening = format!(
        "A small program with a bug is in {}. Its agents are played from a script; all else is real.\n\
         While they work, the demo pushes a commit to main as a colleague would, at a place that they change, too: \
         so there is a conflict to resolve.",
        repository.display()
    );
    let columns = match ctx.screen.stderr_is_terminal {
        true => ctx.screen.stderr_width(),
        false => usize::MAX,
    };
    output::say(&format!("{}\n", text::wrap_markdown(&opening, columns)));
    let mut environment = ctx.environment.clone();
    environment.folder.clone_from(&folder);
    for (name, value) in &variables {
        environment.set(name, value.clone());
    }
    let inner = Context {
        environment,
        screen: ctx.screen.clone(),
        verbose: ctx.verbose,
    };
    let colleague = Colleague::begin(&repository);
    let first = format!(". {}", shell_text(&env_file));
    let resume = format!("({first} && gemicro resume RUN)");
    let ran = commands::run::run_as(
        &inner,
        &task(&repository, args.format),
        &resume,
        Some(format!(
            "`({first}; COMMAND)` runs a command below and leaves your shell as it is"
        )),
    );
    colleague.end();
    output::say("\nLook at it; the parentheses keep your own shell as it is:");
    let mut commands = vec![first, "gemicro show last".to_owned()];
    if branches(&repository).is_dir() {
        let branch = format!("task/{}", Feature::from_task(project::TASK));
        commands.push("gemicro diff last".to_owned());
        commands.push(format!("git log --graph --oneline {branch}"));
    }
    output::say("  (");
    commands
        .iter()
        .for_each(|command| output::say(&format!("    {command}")));
    output::say("  )");
    output::say(&format!("When you are done:\n  rm -rf {}", shell_text(&folder)));
    ran
}

/// What a shell has to read before any other command that the demo names.
fn script(variables: &[(&str, String)], agents: &Path, repository: &Path) -> String {
    // The program of the demo may lie where no shell looks for it.
    let own = std::env::current_exe()
        .ok()
        .filter(|it| it.file_name().is_some_and(|it| it == "gemicro"));
    let own = own
        .as_deref()
        .and_then(Path::parent)
        .map(|folder| format!(":{}", shell_text(folder)));
    let mut text = String::from("# The environment of the demo, for one shell.\n");
    for (name, value) in variables {
        text += &match *name {
            "PATH" => format!(
                "export PATH={}{}:\"$PATH\"\n",
                shell_text(agents),
                own.as_deref().unwrap_or_default()
            ),
            name => format!("export {name}={}\n", text::shell_quoted(value)),
        };
    }
    text + &format!("cd {}\n", shell_text(repository))
}

fn shell_text(path: &Path) -> String {
    text::shell_quoted(&path.display().to_string())
}

/// Where the branches of tasks are.
fn branches(repository: &Path) -> PathBuf {
    repository.join(".git/refs/heads/task")
}

/// A folder of its own.
fn place(args: &DemoArgs) -> Result<PathBuf, CommandError> {
    let folder = match &args.dir {
        Some(named) => std::path::absolute(named)?,
        None => std::env::temp_dir().join(format!("gemicro-demo-{}", StreamId::random())),
    };
    if folder.symlink_metadata().is_ok() {
        let message = format!(
            "{} exists already, and the demo touches nothing that is there",
            folder.display()
        );
        return Err(CommandError::usage(
            message,
            "name a folder that does not exist with --dir",
        ));
    }
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::canonicalize(&folder)?)
}

/// The environment of the demo: its own state, its own agents, and a key that opens nothing.
fn variables(folder: &Path, path: &str) -> [(&'static str, String); 5] {
    [
        ("PATH", path.to_owned()),
        ("GEMICRO_HOME", folder.join("state").display().to_string()),
        ("GEMINI_API_KEY", "demo-no-key".to_owned()),
        // Nothing is called there; should something try, it is not the provider.
        ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9".to_owned()),
        ("XDG_CONFIG_HOME", folder.join("config").display().to_string()),
    ]
}

fn task(repository: &Path, format: PrintFormat) -> RunArgs {
    RunArgs {
        task: Some(project::TASK.to_owned()),
        task_file: None,
        words: Vec::new(),
        mode: ModeName::Bugfix,
        dir: repository.to_owned(),
        workflow: None,
        branch: None,
        agent: None,
        model: None,
        remote: None,
        require_protection: false,
        no_push: false,
        gates: GateArgs::default(),
        budget: Vec::new(),
        max_duration: None,
        format,
        record: None,
        dry_run: false,
    }
}

/// Somebody who pushes to main while the agents work.
struct Colleague {
    is_over: Arc<AtomicBool>,
    working: JoinHandle<()>,
}

impl Colleague {
    /// Waits for the branch of the task, and commits then.
    fn begin(repository: &Path) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (watched, stop) = (repository.to_owned(), is_over.clone());
        let working = std::thread::spawn(move || {
            let branches = branches(&watched);
            while !stop.load(Ordering::Relaxed) {
                if branches.is_dir() {
                    // A demo without a conflict is still one.
                    if let Err(error) = spawn::script(project::COLLEAGUE, &watched) {
                        tracing::debug!(%error, "the demo has no commit on main");
                    }
                    return;
                }
                std::thread::sleep(LOOK);
            }
        });
        Self { is_over, working }
    }

    fn end(self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.working.join();
    }
}
