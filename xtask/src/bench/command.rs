//! Picks the benches to run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::research;
use super::{branches, chat, growth, guard, mcp, pipeline, startup, warm};
use crate::process;

/// One bench, with what belongs to it alone.
#[derive(Debug, PartialEq, Eq)]
enum Bench {
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
    History,
    Chat,
    Pipeline,
    Research {
        must_pass: bool,
        corpus: Option<PathBuf>,
    },
}

impl Bench {
    fn name(&self) -> &'static str {
        match self {
            Bench::Journal => "journal",
            Bench::Queue => "queue",
            Bench::Batch => "batch",
            Bench::Growth => "growth",
            Bench::Index => "index",
            Bench::Startup => "startup",
            Bench::Branches => "branches",
            Bench::Mcp => "mcp",
            Bench::Warm => "warm",
            Bench::Guard => "guard",
            Bench::History => "history",
            Bench::Chat => "chat",
            Bench::Pipeline => "pipeline",
            Bench::Research { .. } => "research",
        }
    }
}

/// Runs the named bench, or all.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    for bench in parse(arguments)? {
        println!("==> bench {}", bench.name());
        match bench {
            Bench::Journal => cargo_bench(root, "gemicro-store", "journal")?,
            Bench::Queue => cargo_bench(root, "gemicro-store", "queue")?,
            Bench::Batch => cargo_bench(root, "gemicro-engine", "batch")?,
            Bench::Growth => growth::run(root)?,
            Bench::Index => cargo_bench(root, "gemicro-source", "index")?,
            Bench::Startup => startup::run(root)?,
            Bench::Branches => branches::run(root)?,
            Bench::Mcp => mcp::run(root)?,
            Bench::Warm => warm::run(root)?,
            Bench::Guard => {
                guard::run(root)?;
                cargo_bench(root, "gemicro-guard", "policy")?;
            }
            Bench::History => cargo_bench(root, "gemicro-core", "history")?,
            Bench::Chat => chat::run(root)?,
            Bench::Pipeline => pipeline::run(root)?,
            Bench::Research { must_pass, corpus } => research::run(root, must_pass, corpus.as_deref())?,
        }
    }
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Vec<Bench>> {
    let mut words = arguments.iter().map(String::as_str);
    let benches = match words.next() {
        None => vec![
            Bench::Journal,
            Bench::Queue,
            Bench::Batch,
            Bench::Growth,
            Bench::Index,
            Bench::Startup,
            Bench::Branches,
            Bench::Mcp,
            Bench::Warm,
            Bench::Guard,
            Bench::History,
            Bench::Chat,
            Bench::Pipeline,
            Bench::Research {
                must_pass: false,
                corpus: None,
            },
        ],
        Some("journal") => vec![Bench::Journal],
        Some("queue") => vec![Bench::Queue],
        Some("batch") => vec![Bench::Batch],
        Some("growth") => vec![Bench::Growth],
        Some("index") => vec![Bench::Index],
        Some("startup") => vec![Bench::Startup],
        Some("branches") => vec![Bench::Branches],
        Some("mcp") => vec![Bench::Mcp],
        Some("warm") => vec![Bench::Warm],
        Some("guard") => vec![Bench::Guard],
        Some("history") => vec![Bench::History],
        Some("chat") => vec![Bench::Chat],
        Some("pipeline") => vec![Bench::Pipeline],
        Some("research") => {
            let (mut must_pass, mut corpus) = (false, None);
            while let Some(word) = words.next() {
                match word {
                    "--check" => must_pass = true,
                    "--corpus" => {
                        corpus = Some(PathBuf::from(words.next().context("--corpus needs a folder")?))
                    }
                    unknown => bail!("`bench research` does not know `{unknown}`"),
                }
            }
            vec![Bench::Research { must_pass, corpus }]
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

fn cargo_bench(root: &Path, package: &str, bench: &str) -> Result<()> {
    let manifest = root.join("crates").join(package);
    let is_there = manifest.join("benches").join(format!("{bench}.rs")).is_file()
        || manifest.join("benches").join(bench).join("main.rs").is_file();
    if !is_there {
        bail!("{package} has no bench `{bench}` (crates/{package}/benches/{bench}.rs)");
    }
    process::run(process::cargo(root).args(["bench", "-p", package, "--bench", bench]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Vec<Bench>> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments() {
        let research = |must_pass, corpus: Option<&str>| Bench::Research {
            must_pass,
            corpus: corpus.map(PathBuf::from),
        };
        assert_eq!(parsed("").unwrap().len(), 14);
        assert_eq!(parsed("queue").unwrap(), [Bench::Queue]);
        assert_eq!(parsed("startup").unwrap(), [Bench::Startup]);
        assert_eq!(parsed("mcp").unwrap(), [Bench::Mcp]);
        assert_eq!(parsed("warm").unwrap(), [Bench::Warm]);
        assert_eq!(parsed("guard").unwrap(), [Bench::Guard]);
        assert_eq!(parsed("history").unwrap(), [Bench::History]);
        assert_eq!(parsed("research").unwrap(), [research(false, None)]);
        assert_eq!(parsed("research --check").unwrap(), [research(true, None)]);
        assert_eq!(
            parsed("research --corpus x --check").unwrap(),
            [research(true, Some("x"))]
        );
        for wrong in [
            "nothing",
            "startup --check",
            "research --corpus",
            "research --fast",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_missing_bench_is_named() {
        let error = cargo_bench(Path::new("."), "gemicro-none", "nothing").unwrap_err();
        assert_eq!(
            error.to_string(),
            "gemicro-none has no bench `nothing` (crates/gemicro-none/benches/nothing.rs)"
        );
    }
}
