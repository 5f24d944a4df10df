//! `gemicro chat` on a real terminal: driven in tmux, looked at as a person does.

use std::path::PathBuf;
use std::process::Command;

use crate::agent_world::{AGENTS, AgentWorld};
use crate::golden;
use crate::simulated::{Simulated, until};

/// An answer with everything that Markdown has, and a plain one.
const RULES: &str = "  - name: plan\n    when: { prompt_contains: the plan }\n    reply: { text: \"## The plan\\n\\nFirst we *look*, then we **act**:\\n\\n1. Read `src/main.rs`\\n2. Write the test\\n   - one per rule\\n\\n```rust\\nfn main() {}\\n```\\n\\n| step | time |\\n|---|---|\\n| read | 5 min |\\n\\nThat is all.\" }\n  \
     - { name: held, when: { prompt_contains: a slow one }, reply: { text: 'It begins and goes on.', chunks: { sizes: [10] }, gate: { name: held, after_chunks: 1 } } }\n  \
     - { name: answers, reply: { text: 'An honest answer.' } }\n";

/// A terminal with a chat in it.
struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    fn open(chat: &Command, socket: PathBuf, columns: u16, rows: u16) -> Self {
        let has_tmux = Command::new("tmux").arg("-V").output().is_ok();
        assert!(has_tmux, "tmux is missing: run `cargo xtask setup`");
        let terminal = Self { socket };
        let mut tmux = terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-s", "chat"]);
        tmux.args(["-x", &columns.to_string(), "-y", &rows.to_string()]);
        if let Some(folder) = chat.get_current_dir() {
            tmux.current_dir(folder);
        }
        // A shell of the terminal may have variables of its own; what is left on it stays to be looked at.
        let variables = chat.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let variables = variables
            .map(|(name, value)| format!("'{}={}'", name.to_string_lossy(), value.to_string_lossy()));
        let words = std::iter::once(chat.get_program()).chain(chat.get_args());
        let words = words.map(|word| format!("'{}'", word.to_string_lossy()));
        let line: Vec<String> = variables.chain(words).collect();
        tmux.arg(format!(
            "env {}; echo left with $?; exec sleep 600",
            line.join(" ")
        ));
        let output = tmux.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command
            .arg("-S")
            .arg(&self.socket)
            .args(arguments)
            .env_remove("TMUX");
        command.env("LC_ALL", "C.UTF-8").env("TERM", "xterm-256color");
        command
    }

    fn keys(&self, keys: &[&str]) {
        let mut arguments = vec!["send-keys", "-t", "chat"];
        arguments.extend(keys);
        assert!(self.tmux(&arguments).status().unwrap().success());
    }

    fn say(&self, text: &str) {
        self.keys(&["-l", text]);
        self.keys(&["Enter"]);
    }

    fn picture(&self) -> String {
        let output = self.tmux(&["capture-pane", "-t", "chat", "-p"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// The picture once it holds this text, with times left out.
    fn with(&self, text: &str) -> String {
        let began = std::time::Instant::now();
        let mut last = None;
        loop {
            let picture = self.picture();
            let lines = picture.lines().map(|line| without_times(line.trim_end()));
            let now = lines.collect::<Vec<_>>().join("\n");
            // A terminal may be seen while it is drawn: what is seen twice is whole.
            if picture.contains(text) && last.as_ref() == Some(&now) {
                return now;
            }
            assert!(began.elapsed().as_secs() < 60, "no `{text}` in\n{picture}");
            last = Some(now);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]).output();
    }
}

/// `1.2s` and `840ms` become `TIME`; the spinner becomes `*`; the id of the conversation becomes `ID`.
fn without_times(line: &str) -> String {
    if line.starts_with("Continue with: gemicro chat ") {
        return "Continue with: gemicro chat ID".to_owned();
    }
    let words = line.split(' ').map(|word| {
        let number = word.strip_suffix("ms").or_else(|| word.strip_suffix('s'));
        let is_time = number.is_some_and(|number| !number.is_empty() && number.parse::<f64>().is_ok());
        let is_spinner =
            word.chars().count() == 1 && word.chars().all(|c| ('\u{2800}'..='\u{28ff}').contains(&c));
        match (is_time, is_spinner) {
            (true, _) => "TIME".to_owned(),
            (_, true) => "*".to_owned(),
            (false, false) => word.to_owned(),
        }
    });
    let line = words.collect::<Vec<_>>().join(" ");
    match line.split_once("TIME  ") {
        // What stands at the right moves with the length of the time.
        Some((left, right)) => format!("{left}TIME  {}", right.trim_start()),
        None => line,
    }
}

/// A chat over the API.
fn over_api(simulated: &Simulated, columns: u16, rows: u16) -> Terminal {
    let arguments = ["chat", "--model", "api:gemini-3.5-flash", "--summariser", "none"];
    let socket = simulated.world.path("tmux");
    Terminal::open(&simulated.command(&arguments), socket, columns, rows)
}

/// A conversation with everything in it.
fn scene(columns: u16, rows: u16) -> String {
    let simulated = Simulated::new(RULES);
    let terminal = over_api(&simulated, columns, rows);
    let mut pictures = vec![terminal.with("ready")];
    terminal.say("hello there");
    terminal.with("An honest answer.");
    terminal.with("ready");
    terminal.say("what is the plan?");
    terminal.with("That is all.");
    pictures.push(terminal.with("ready"));
    terminal.say("a slow one");
    pictures.push(terminal.with("It begins"));
    terminal.keys(&["Escape"]);
    terminal.with("stopped");
    terminal.say("/cost");
    // The list of commands has these words, too, but not the colon.
    pictures.push(terminal.with("used so far:"));
    terminal.keys(&["C-d"]);
    pictures.push(terminal.with("left with 0"));
    pictures.join("\n=====\n")
}

#[test]
fn a_small_terminal_shows_a_whole_conversation() {
    let pictures = scene(80, 24);
    golden!("chat_screen_80x24", pictures);
}

#[test]
fn a_large_terminal_shows_a_whole_conversation() {
    let pictures = scene(200, 60);
    golden!("chat_screen_200x60", pictures);
}

#[test]
fn a_terminal_that_changes_its_size_keeps_the_conversation() {
    let simulated = Simulated::new(RULES);
    let terminal = over_api(&simulated, 120, 30);
    terminal.with("ready");
    terminal.say("what is the plan?");
    terminal.with("That is all.");
    for (columns, rows) in [("20", "8"), ("200", "50"), ("60", "20")] {
        let resized = terminal
            .tmux(&["resize-window", "-t", "chat", "-x", columns, "-y", rows])
            .status();
        assert!(resized.unwrap().success());
        until("the last line", || {
            terminal.picture().contains("That is all.").then_some(())
        });
    }
    // A killed one leaves the terminal, too.
    terminal.keys(&["C-c"]);
    terminal.keys(&["C-c"]);
    terminal.with("left with");
}

#[test]
fn a_tool_waits_for_leave_and_silence_is_no() {
    for agent in &AGENTS[..2] {
        let rules = format!(
            "  - {{ name: said, when: {{ tool_result: '*' }}, reply: {{ text: The tool is over. }} }}\n  \
             - {{ name: writes, when: {{ prompt_contains: make the file }}, reply: {{ calls: [{{ {} }}] }} }}\n  \
             - {{ name: answers, reply: {{ text: other }} }}\n",
            agent.writes
        );
        let desk = AgentWorld::real(&rules);
        let arguments = [
            "chat",
            "--model",
            agent.model,
            "--summariser",
            "none",
            "--no-yolo",
            "--cd",
            "project",
        ];
        let mut chat = desk.simulated.command(&arguments);
        let configured = desk.command(agent, &[], "x");
        chat.envs(
            configured
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        let socket = desk.simulated.world.path("tmux");
        let terminal = Terminal::open(&chat, socket, 100, 30);
        terminal.with("ready");
        for (name, key, is_made) in [("no.txt", "Enter", false), ("yes.txt", "y", true)] {
            let file = desk.file(name);
            terminal.keys(&["-l", "make the file"]);
            terminal.keys(&["M-Enter"]);
            terminal.say(&format!("File: {}", file.display()));
            terminal.with("y allow");
            assert!(!file.exists(), "{}: before anybody answered", agent.name);
            terminal.keys(&[key]);
            terminal.with("The tool is over.");
            let screen = terminal.with("ready");
            assert!(!screen.contains("(running)"), "{}: {screen}", agent.name);
            assert_ne!(screen.contains(&format!("{name} (denied)")), is_made, "{screen}");
            assert_eq!(file.exists(), is_made, "{}: {name}", agent.name);
            terminal.say("/clear");
            terminal.with("Type a message");
        }
        terminal.keys(&["C-d"]);
        terminal.with("left with 0");
    }
}
