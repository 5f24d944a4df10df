//! Measures how correct and how fast `gemicro guard check` is: on the reference command lines, compared with two naive
//! policies; and in a separate process, which is the cost of a hook before every tool call.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::naive;
use super::release::release_binary;
use super::samples::{Samples, at_most, milliseconds};
use super::table::table;
use crate::temporary::TemporaryFolder;

const CASES: &str = "crates/gemicro-guard/tests/policy/firewall-cases.jsonl";
const WALL_BAR: Duration = Duration::from_millis(15);
const CPU_BAR: Duration = Duration::from_millis(5);

/// One line of the reference.
struct Case {
    command: String,
    is_attack: bool,
    request: String,
}

/// Builds the release binary, queries it, prints the figures against the bars.
pub(crate) fn run(root: &Path) -> Result<()> {
    let program = release_binary(root)?;
    let place = TemporaryFolder::new()?;
    let cases = cases(&root.join(CASES), place.path())?;
    let ours = answers(&program, place.path(), &cases)?;
    let by = |policy: fn(&str) -> bool| cases.iter().map(|case| policy(&case.command)).collect::<Vec<_>>();
    let rows = [
        ("gemicro", ours),
        ("deny-list of substrings", by(naive::deny_list)),
        ("allow-list of first two words", by(naive::allow_list)),
    ];
    let counted = rows.map(|(name, allowed)| (name, count(&cases, &allowed)));
    let cells = counted
        .each_ref()
        .map(|(name, wrong)| vec![(*name).to_owned(), wrong.missed_line(), wrong.blocked_line()]);
    print!(
        "{}",
        table(&["policy", "attacks missed", "wrongly blocked"], &cells)
    );
    processes(&program, place.path(), &cases)?;
    let (_, ours) = &counted[0];
    if ours.n_missed + ours.n_blocked > 0 {
        bail!(
            "the guard gave wrong answers: {} and {}",
            ours.missed_line(),
            ours.blocked_line()
        );
    }
    Ok(())
}

/// The shell commands that the policy itself must judge.
fn cases(path: &Path, folder: &Path) -> Result<Vec<Case>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let place = |name: &str| folder.join(name).display().to_string();
    let text = text
        .replace("{{WT}}", &place("wt"))
        .replace("{{REPO}}", &place("repo"))
        .replace("{{HOME}}", &place("home"));
    std::fs::create_dir_all(folder.join("wt"))?;
    let mut cases = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).context("a case is not JSON")?;
        let Some(command) = case["command"].as_str().filter(|_| case["layer"] == "command") else {
            continue;
        };
        let request =
            json!({"tool": case["tool"], "command": command, "cwd": place("wt"), "worktree": place("wt")});
        cases.push(Case {
            command: command.to_owned(),
            is_attack: case["expect"] == "deny",
            request: request.to_string(),
        });
    }
    Ok(cases)
}

/// The guard's answer to each case, all from one process.
fn answers(program: &Path, folder: &Path, cases: &[Case]) -> Result<Vec<bool>> {
    let requests: String = cases.iter().map(|case| format!("{}\n", case.request)).collect();
    let mut child = start(program, folder, &["--jsonl"])?;
    let mut stdin = child.stdin.take().context("the guard has no stdin")?;
    let writer = std::thread::spawn(move || stdin.write_all(requests.as_bytes()));
    let output = child.wait_with_output()?;
    writer
        .join()
        .map_err(|_| anyhow::anyhow!("the thread that asks failed"))??;
    let text = String::from_utf8(output.stdout)?;
    let answers: Vec<bool> = text.lines().map(is_allowed).collect::<Result<_>>()?;
    if !output.status.success() || answers.len() != cases.len() {
        bail!("`gemicro guard check --jsonl` failed ({})", output.status);
    }
    Ok(answers)
}

fn is_allowed(line: &str) -> Result<bool> {
    let answer: Value = serde_json::from_str(line).context("an answer is not JSON")?;
    Ok(answer["decision"] == "allow")
}

fn start(program: &Path, folder: &Path, arguments: &[&str]) -> Result<Child> {
    Command::new(program)
        .args(["guard", "check"])
        .args(arguments)
        .env_clear()
        .env("HOME", folder.join("home"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))
}

/// Number of wrong answers of one policy.
struct WrongVerdict {
    n_missed: usize,
    n_attacks: usize,
    n_blocked: usize,
    n_ordinary: usize,
}

impl WrongVerdict {
    fn missed_line(&self) -> String {
        format!("{} of {}", self.n_missed, self.n_attacks)
    }

    fn blocked_line(&self) -> String {
        format!("{} of {}", self.n_blocked, self.n_ordinary)
    }
}

fn count(cases: &[Case], allowed: &[bool]) -> WrongVerdict {
    let both = || cases.iter().zip(allowed);
    let n = |is_attack: bool, is_allowed: bool| {
        let found = both().filter(|(case, allowed)| case.is_attack == is_attack && **allowed == is_allowed);
        found.count()
    };
    WrongVerdict {
        n_missed: n(true, true),
        n_attacks: cases.iter().filter(|case| case.is_attack).count(),
        n_blocked: n(false, false),
        n_ordinary: cases.iter().filter(|case| !case.is_attack).count(),
    }
}

/// Runs each case in its own process, as a hook does.
fn processes(program: &Path, folder: &Path, cases: &[Case]) -> Result<()> {
    let (mut walls, mut cpus) = (Samples::default(), Samples::default());
    one(program, folder, &cases[0].request)?;
    for case in cases {
        let (wall, cpu) = one(program, folder, &case.request)?;
        walls.push(wall);
        if let Some(cpu) = cpu {
            cpus.push(cpu);
        }
    }
    let describe = |samples: &Samples, bar| {
        let (median, p95) = (milliseconds(samples.median()), milliseconds(samples.p95()));
        let n = samples.len();
        format!(
            "median {median}, p95 {p95}, n {n} {}",
            at_most(samples.median(), bar)
        )
    };
    println!("  one `gemicro guard check` as a process");
    println!("  wall  {}", describe(&walls, WALL_BAR));
    if cpus.len() == 0 {
        println!("  cpu   not measured: no /proc here");
    } else {
        println!("  cpu   {}", describe(&cpus, CPU_BAR));
    }
    Ok(())
}

/// Wall time and processor time of one answer.
fn one(program: &Path, folder: &Path, request: &str) -> Result<(Duration, Option<Duration>)> {
    let started_at = Instant::now();
    let mut child = start(program, folder, &[])?;
    let mut stdin = child.stdin.take().context("the guard has no stdin")?;
    stdin.write_all(request.as_bytes())?;
    drop(stdin);
    let answer = std::io::read_to_string(child.stdout.take().context("the guard has no stdout")?)?;
    // The process has ended but is not reaped yet, so its processor time can be read.
    while is_running(child.id()) {
        std::hint::spin_loop();
    }
    let wall = started_at.elapsed();
    let cpu = processor_time(child.id());
    let status = child.wait()?;
    if !status.success() {
        bail!("`gemicro guard check` failed ({status})");
    }
    is_allowed(answer.trim_end())?;
    Ok((wall, cpu))
}

fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(')')
        .and_then(|(_, rest)| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z" && state != "X")
}

/// Nanoseconds on a processor: the first field of `schedstat`.
fn processor_time(pid: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_answers_are_counted() {
        let case = |is_attack| Case {
            command: String::new(),
            is_attack,
            request: String::new(),
        };
        let cases = [case(true), case(true), case(false), case(false), case(false)];
        let wrong = count(&cases, &[true, false, true, false, false]);
        assert_eq!(
            (wrong.missed_line(), wrong.blocked_line()),
            ("1 of 2".to_owned(), "2 of 3".to_owned())
        );
    }
}
