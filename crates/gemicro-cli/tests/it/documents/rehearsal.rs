//! Runs the `console` blocks of a page, in order, and compares what they print.
//!
//! A page has a project of its own with copies of docs/ and examples/, and a simulator. Each block is a new shell.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::page::{Block, Page, Shown};
use super::{command_lines, repository};
use crate::normal::normalise;
use crate::program::World;

/// The simulator of the pages; the real one has another port.
const SIMULATOR: &str = "127.0.0.1:4000";
/// The project of the pages; the real one is a temporary folder.
const PROJECT: &str = "/srv/project";
/// A line of this stands for any lines.
const ELLIPSIS: &str = "…";

/// Checks a page, or writes what its commands print into it.
pub(super) fn check(path: &Path) {
    let mut page = Page::read(path);
    let mut problems = command_lines::problems(&page);
    let outputs = self::problems(&mut page);
    if std::env::var_os("GEMICRO_BLESS_DOCS").is_some() {
        fs::write(path, &page.text).unwrap();
    } else {
        problems.extend(outputs);
    }
    assert!(
        problems.is_empty(),
        "{}: {} problems. CONTRIBUTING.md says how to update the outputs.\n\n{}",
        path.display(),
        problems.len(),
        problems.join("\n\n")
    );
}

/// Differences between what blocks show and what their commands print. Corrects the text of the page.
pub(super) fn problems(page: &mut Page) -> Vec<String> {
    let mut problems = Vec::new();
    let mut corrections = Vec::new();
    let mut stage = None;
    for block in page.blocks.iter().filter(|block| block.is_run()) {
        let stage = stage.get_or_insert_with(Stage::new);
        let mut correct = String::new();
        for (shown, ran) in block.shown().iter().zip(stage.run(block)) {
            let fails = block.fails() && shown.command.starts_with("gemicro ");
            if fails == (ran.code == 0) {
                problems.push(format!(
                    "$ {}\nexit code {}\n{}",
                    shown.command, ran.code, ran.output
                ));
            }
            let lines = if shows(shown, &ran.output) {
                shown.output.join("\n")
            } else {
                let expected = shown.output.join("\n");
                problems.push(format!(
                    "$ {}\n{}\n--- shown:\n{expected}",
                    shown.command, ran.output
                ));
                ran.output
            };
            correct.push_str(&format!("$ {}\n{}", shown.command, lines));
            if !lines.is_empty() && !lines.ends_with('\n') {
                correct.push('\n');
            }
        }
        corrections.push((block.range.clone(), correct));
    }
    for (range, correct) in corrections.into_iter().rev() {
        page.text.replace_range(range, &correct);
    }
    problems
}

/// Whether the lines below a command are what it printed, apart from ids, times and spaces.
fn shows(shown: &Shown, output: &str) -> bool {
    let expected: Vec<String> = shown.output.iter().map(|line| comparable(line)).collect();
    let actual: Vec<String> = output.lines().map(comparable).collect();
    matches(&expected, &actual)
}

fn matches(expected: &[String], actual: &[String]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((first, rest)) if first == ELLIPSIS => (0..=actual.len()).any(|n| matches(rest, &actual[n..])),
        Some((first, rest)) => actual.first() == Some(first) && matches(rest, &actual[1..]),
    }
}

fn comparable(line: &str) -> String {
    let normal = normalise(line, Path::new(PROJECT));
    let words: Vec<String> = normal
        .split_whitespace()
        .map(|word| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
            let core = word.trim_matches(|c| !is_part(c)).trim_end_matches('.');
            word.replace(core, mask(core))
        })
        .collect();
    words.join(" ")
}

/// Words that differ from run to run, or with every edit of a page that is read: durations, short ids, commits, large
/// numbers.
fn mask(word: &str) -> &str {
    const IDS: &str = "0123456789abcdefghjkmnpqrstvwxyz";
    let number = word.trim_end_matches(['h', 'm', 's']);
    if number.len() < word.len() && number.parse::<f64>().is_ok() {
        "TIME"
    } else if word.len() == 8 && word.chars().all(|c| IDS.contains(c)) {
        "RUN"
    } else if (7..=12).contains(&word.len()) && word.chars().all(|c| c.is_ascii_hexdigit()) {
        "COMMIT"
    } else if word.len() > 4 && word.chars().all(|c| c.is_ascii_digit() || ",.".contains(c)) {
        "NUMBER"
    } else {
        word
    }
}

/// What a command did.
struct Ran {
    output: String,
    code: i32,
}

/// Where the blocks of one page are run.
struct Stage {
    world: World,
    simulator: Child,
    address: String,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let project = world.path("project");
        for folder in ["docs", "examples"] {
            copy(&repository().join(folder), &project.join(folder));
        }
        fs::create_dir(world.path("user")).unwrap();
        let mut simulator = world
            .command(&["sim", "serve"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let stdout = simulator.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut address).unwrap();
        let address = address.trim().trim_start_matches("http://").to_owned();
        Self {
            world,
            simulator,
            address,
        }
    }

    /// Runs the commands of a block in one shell, so that they share its variables.
    fn run(&self, block: &Block) -> Vec<Ran> {
        let shown = block.shown();
        let mut script = String::new();
        for (idx, shown) in shown.iter().enumerate() {
            let command = shown.command.replace("cargo run --release --", "gemicro");
            let command = command.replace(SIMULATOR, &self.address);
            script.push_str(&format!(
                "{{ {command}\n}} >../{idx}.output 2>&1; echo $? >../{idx}.code\n"
            ));
        }
        let program = Path::new(env!("CARGO_BIN_EXE_gemicro")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let status = Command::new("sh")
            .args(["-c", &script])
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.world.path("user"))
            .env("GEMICRO_HOME", self.world.path("home"))
            .env("GEMICRO_RESIDENT", "off")
            .env("NO_PROXY", "127.0.0.1")
            .env("COLUMNS", "100")
            .current_dir(self.project())
            .stdin(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{script}");
        (0..shown.len()).map(|idx| self.ran(idx)).collect()
    }

    fn ran(&self, idx: usize) -> Ran {
        let read = |name: String| fs::read_to_string(self.world.path(&name)).unwrap();
        let output = read(format!("{idx}.output")).replace(&self.address, SIMULATOR);
        Ran {
            output: output.replace(&self.project().display().to_string(), PROJECT),
            code: read(format!("{idx}.code")).trim().parse().unwrap(),
        }
    }

    fn project(&self) -> PathBuf {
        self.world.path("project")
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.simulator.kill();
        let _ = self.simulator.wait();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
