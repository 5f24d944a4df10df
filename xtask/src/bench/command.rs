//! Picks the benches to run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::research::{self, ResearchBench};
use super::{branches, chat, growth, guard, mcp, pipeline, startup, warm};
use crate::process;

/// One bench, with its own options.
#[derive(Debug, PartialEq, Eq)]
enum BenchKind {
    Journal,
    Queue,
    Batch,
    Growth,
    Index,
    Startup,
    Branches,
    Mcp,
    Warm,
    Guard,
    /// With a folder: only that one.
    History(Option<PathBuf>),
    Chat,
    Pipeline,
    Research(ResearchBench),
}

impl BenchKind {
    fn name(&self) -> &'static str {
        match self {
            BenchKind::Journal => "journal",
            BenchKind::Queue => "queue",
            BenchKind::Batch => "batch",
            BenchKind::Growth => "growth",
            BenchKind::Index => "index",
            BenchKind::Startup => "startup",
            BenchKind::Branches => "branches",
            BenchKind::Mcp => "mcp",
            BenchKind::Warm => "warm",
            BenchKind::Guard => "guard",
            BenchKind::History(_) => "history",
            BenchKind::Chat => "chat",
            BenchKind::Pipeline => "pipeline",
            BenchKind::Research(_) => "research",
        }
    }
}

/// Runs the named bench, or all.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    for bench in parse(arguments)? {
        println!("==> bench {}", bench.name());
        match bench {
            BenchKind::Journal => cargo_bench(root, "gemicro-store", "journal", &[])?,
            BenchKind::Queue => cargo_bench(root, "gemicro-store", "queue", &[])?,
            BenchKind::Batch => cargo_bench(root, "gemicro-engine", "batch", &[])?,
            BenchKind::Growth => growth::run(root)?,
            BenchKind::Index => cargo_bench(root, "gemicro-source", "index", &[])?,
            BenchKind::Startup => startup::run(root)?,
            BenchKind::Branches => branches::run(root)?,
            BenchKind::Mcp => mcp::run(root)?,
            BenchKind::Warm => warm::run(root)?,
            BenchKind::Guard => {
                guard::run(root)?;
                cargo_bench(root, "gemicro-guard", "policy", &[])?;
            }
            BenchKind::History(folder) => {
                let mut arguments = Vec::new();
                if let Some(folder) = folder {
                    // The bench runs in another folder than this command.
                    let folder = std::path::absolute(&folder)?;
                    arguments = vec!["--folder".into(), folder.into_os_string()];
                }
                cargo_bench(root, "gemicro-core", "history", &arguments)?;
            }
            BenchKind::Chat => chat::run(root)?,
            BenchKind::Pipeline => pipeline::run(root)?,
            BenchKind::Research(bench) => research::run(root, &bench)?,
        }
    }
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Vec<BenchKind>> {
    let mut words = arguments.iter().map(String::as_str);
    let benches = match words.next() {
        None => vec![
            BenchKind::Journal,
            BenchKind::Queue,
            BenchKind::Batch,
            BenchKind::Growth,
            BenchKind::Index,
            BenchKind::Startup,
            BenchKind::Branches,
            BenchKind::Mcp,
            BenchKind::Warm,
            BenchKind::Guard,
            BenchKind::History(None),
            BenchKind::Chat,
            BenchKind::Pipeline,
            BenchKind::Research(ResearchBench::default()),
        ],
        Some("journal") => vec![BenchKind::Journal],
        Some("queue") => vec![BenchKind::Queue],
        Some("batch") => vec![BenchKind::Batch],
        Some("growth") => vec![BenchKind::Growth],
        Some("index") => vec![BenchKind::Index],
        Some("startup") => vec![BenchKind::Startup],
        Some("branches") => vec![BenchKind::Branches],
        Some("mcp") => vec![BenchKind::Mcp],
        Some("warm") => vec![BenchKind::Warm],
        Some("guard") => vec![BenchKind::Guard],
        Some("history") => match words.next() {
            None => vec![BenchKind::History(None)],
            Some("--folder") => {
                let folder = words.next().context("--folder needs a folder")?;
                vec![BenchKind::History(Some(PathBuf::from(folder)))]
            }
            Some(unknown) => bail!("`bench history` does not know `{unknown}`"),
        },
        Some("chat") => vec![BenchKind::Chat],
        Some("pipeline") => vec![BenchKind::Pipeline],
        Some("research") => {
            let mut bench = ResearchBench::default();
            while let Some(word) = words.next() {
                let mut path = |what: &str| words.next().map(PathBuf::from).context(what.to_owned());
                match word {
                    "--check" => bench.must_pass = true,
                    "--corpus" => bench.corpus = Some(path("--corpus needs a folder")?),
                    "--program" => bench.program = Some(path("--program needs a file")?),
                    unknown => bail!("`bench research` does not know `{unknown}`"),
                }
            }
            vec![BenchKind::Research(bench)]
        }
        Some(unknown) => {
            bail!(
                "no bench `{unknown}`: journal, queue, batch, growth, index, startup, branches, mcp, warm, guard, history, chat, pipeline, research"
            )
        }
    };
    match words.next() {
        None => Ok(benches),
        Some(word) => bail!("this bench takes no `{word}`"),
    }
}

fn cargo_bench(root: &Path, package: &str, bench: &str, arguments: &[OsString]) -> Result<()> {
    let manifest = root.join("crates").join(package);
    let is_there = manifest.join("benches").join(format!("{bench}.rs")).is_file()
        || manifest.join("benches").join(bench).join("main.rs").is_file();
    if !is_there {
        bail!("{package} has no bench `{bench}` (crates/{package}/benches/{bench}.rs)");
    }
    let mut cargo = process::cargo(root);
    cargo.args(["bench", "-p", package, "--bench", bench]);
    if !arguments.is_empty() {
        cargo.arg("--").args(arguments);
    }
    process::run(&mut cargo)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Vec<BenchKind>> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments() {
        let research = |must_pass, corpus: Option<&str>| {
            BenchKind::Research(ResearchBench {
                must_pass,
                corpus: corpus.map(PathBuf::from),
                program: None,
            })
        };
        assert_eq!(parsed("").unwrap().len(), 14);
        assert_eq!(parsed("queue").unwrap(), [BenchKind::Queue]);
        assert_eq!(parsed("startup").unwrap(), [BenchKind::Startup]);
        assert_eq!(parsed("mcp").unwrap(), [BenchKind::Mcp]);
        assert_eq!(parsed("warm").unwrap(), [BenchKind::Warm]);
        assert_eq!(parsed("guard").unwrap(), [BenchKind::Guard]);
        assert_eq!(parsed("history").unwrap(), [BenchKind::History(None)]);
        assert_eq!(
            parsed("history --folder x").unwrap(),
            [BenchKind::History(Some(PathBuf::from("x")))]
        );
        assert_eq!(parsed("research").unwrap(), [research(false, None)]);
        assert_eq!(parsed("research --check").unwrap(), [research(true, None)]);
        assert_eq!(
            parsed("research --corpus x --check").unwrap(),
            [research(true, Some("x"))]
        );
        for wrong in [
            "nothing",
            "startup --check",
            "history --folder",
            "history --corpus x",
            "research --corpus",
            "research --fast",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_missing_bench_is_named() {
        let error = cargo_bench(Path::new("."), "gemicro-none", "nothing", &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "gemicro-none has no bench `nothing` (crates/gemicro-none/benches/nothing.rs)"
        );
    }
}
