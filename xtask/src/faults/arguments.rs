//! The arguments of `cargo xtask faults`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::fault::InjectedFault;
use super::kind::RunKind;
use super::scenario::StoreKind;

/// Which scenarios to run, and how.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FaultArguments {
    pub(crate) kind: Option<RunKind>,
    pub(crate) store: Option<StoreKind>,
    pub(crate) fault: Option<InjectedFault>,
    pub(crate) seed: u64,
    /// Scenarios of each kind, store and fault; decided by the matrix without it.
    pub(crate) count: Option<u64>,
    pub(crate) all: bool,
    pub(crate) table: Option<PathBuf>,
    /// Scenarios that run at once.
    pub(crate) workers: usize,
    /// The program; built without it.
    pub(crate) program: Option<PathBuf>,
}

impl FaultArguments {
    pub(crate) const DEFAULT: Self = Self {
        kind: None,
        store: None,
        fault: None,
        seed: 1,
        count: None,
        all: false,
        table: None,
        workers: 2,
        program: None,
    };

    pub(crate) fn parse(words: &[String]) -> Result<Self> {
        let mut arguments = Self::DEFAULT;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--all" {
                arguments.all = true;
                continue;
            }
            let value = words.next().with_context(|| format!("`{word}` needs a value"))?;
            match word.as_str() {
                "--kind" => arguments.kind = Some(find_by_name(value, &RunKind::ALL, RunKind::name)?),
                "--store" => arguments.store = Some(find_by_name(value, &StoreKind::ALL, StoreKind::name)?),
                "--fault" => {
                    arguments.fault = Some(find_by_name(value, &InjectedFault::ALL, InjectedFault::name)?)
                }
                "--seed" => arguments.seed = number(word, value)?,
                "--count" => arguments.count = Some(number(word, value)?),
                "--workers" => arguments.workers = usize::try_from(number(word, value)?)?.max(1),
                "--program" => arguments.program = Some(std::path::absolute(value)?),
                "--table" => arguments.table = Some(value.into()),
                _ => bail!("unknown option `{word}`; `cargo xtask help` lists them"),
            }
        }
        Ok(arguments)
    }
}

fn number(option: &str, value: &str) -> Result<u64> {
    value
        .parse()
        .with_context(|| format!("`{option}` needs a number, not `{value}`"))
}

fn find_by_name<T: Copy>(value: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T> {
    let found = all.iter().copied().find(|it| name(*it) == value);
    found.with_context(|| {
        let names: Vec<&str> = all.iter().map(|it| name(*it)).collect();
        format!("`{value}` is none of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<FaultArguments> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        FaultArguments::parse(&words)
    }

    #[test]
    fn a_scenario_is_read_from_its_command() {
        let arguments = parsed("--kind batch --store postgres --fault kill-time --seed 7 --count 1").unwrap();
        let expected = FaultArguments {
            kind: Some(RunKind::Batch),
            store: Some(StoreKind::Postgres),
            fault: Some(InjectedFault::KillTime),
            seed: 7,
            count: Some(1),
            ..FaultArguments::DEFAULT
        };
        assert_eq!(arguments, expected);
    }

    #[test]
    fn wrong_words_are_named() {
        let message = |line: &str| parsed(line).unwrap_err().to_string();
        assert!(message("--kind x").starts_with("`x` is none of offline, research,"));
        assert_eq!(message("--seed many"), "`--seed` needs a number, not `many`");
        assert_eq!(message("--seed"), "`--seed` needs a value");
    }
}
