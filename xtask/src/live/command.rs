//! Picks the live job to run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{local, shapes};

#[derive(Debug, PartialEq, Eq)]
enum LiveJob {
    Shapes,
    Local(LocalJob),
}

/// Research with a small model on this machine.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LocalJob {
    /// Maximum number of questions of each set.
    pub(super) n_questions: usize,
    /// This program instead of a new release build.
    pub(super) program: Option<PathBuf>,
}

/// Runs the job that the arguments name.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let job = parse(arguments)?;
    if std::env::var_os("CI").is_some() {
        bail!("`live` needs a key or a large download: it is never run in CI");
    }
    match job {
        LiveJob::Shapes => shapes::run(root),
        LiveJob::Local(job) => local::run(root, &job),
    }
}

fn parse(arguments: &[String]) -> Result<LiveJob> {
    let mut job = LocalJob {
        n_questions: 1,
        program: None,
    };
    let mut is_local = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--local" => is_local = true,
            "--questions" => {
                let number = value()?;
                job.n_questions = number
                    .parse()
                    .ok()
                    .filter(|n| *n > 0)
                    .with_context(|| format!("`--questions {number}`: not a number above 0"))?;
            }
            "--program" => job.program = Some(value()?.into()),
            unknown => bail!("unknown argument `{unknown}`; `cargo xtask help` lists them"),
        }
    }
    match is_local {
        true => Ok(LiveJob::Local(job)),
        false if arguments.is_empty() => Ok(LiveJob::Shapes),
        false => bail!("`{}` needs `--local`", arguments.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let parsed = |words: &str| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            parse(&words).map_err(|error| error.to_string())
        };
        let local = |n_questions, program: Option<&str>| {
            Ok(LiveJob::Local(LocalJob {
                n_questions,
                program: program.map(PathBuf::from),
            }))
        };
        assert_eq!(parsed(""), Ok(LiveJob::Shapes));
        assert_eq!(parsed("--local"), local(1, None));
        assert_eq!(parsed("--local --questions 5 --program x"), local(5, Some("x")));
        for wrong in [
            "--questions 5",
            "--local --questions",
            "--local --questions 0",
            "more",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
