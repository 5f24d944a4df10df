//! Checks `ARCHITECTURE.md` against the tree: the files it names exist, the sizes of the crates are right, and a walk
//! through one request is short.

use super::file_place::{self, FilePurpose};
use super::offence::Offence;
use crate::repository::SourceFile;

const PAGE: &str = "ARCHITECTURE.md";
/// Maximum number of files in a walk through one request.
const MAX_STOPS: usize = 10;
/// Maximum relative difference between a size in the table and the tree.
const TOLERANCE: f64 = 0.15;

/// Checks the page, if the checkout has one.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Offence> {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else {
        return Vec::new();
    };
    let mut offences = Vec::new();
    let mut n_stops = 0;
    let mut crates_named = Vec::new();
    for (idx, line) in page.text.lines().enumerate() {
        let mut report = |message: String| offences.push(Offence::new(PAGE, idx + 1, message));
        for path in code_spans(line).filter(|span| is_source_path(span)) {
            if !files.iter().any(|file| file.path == path) {
                report(format!("there is no file {path}"));
            }
        }
        match line.split_once(". ").map(|(number, _)| number.parse::<usize>()) {
            Some(Ok(1)) => n_stops = 1,
            Some(Ok(_)) => n_stops += 1,
            _ if line.starts_with('#') => n_stops = 0,
            _ => {}
        }
        if n_stops == MAX_STOPS + 1 {
            report(format!("a walk has at most {MAX_STOPS} files"));
            n_stops += 1;
        }
        if let Some((name, stated)) = size_row(line) {
            let actual = product_lines(files, &name);
            let difference = (stated as f64 - actual as f64).abs();
            if difference > TOLERANCE * actual as f64 {
                report(format!("{name} has {actual} lines, the table says {stated}"));
            }
            crates_named.push(name);
        }
    }
    let missing = members(files)
        .into_iter()
        .filter(|name| !crates_named.contains(name));
    offences.extend(
        missing.map(|name| Offence::new(PAGE, 1, format!("the table of crates has no row for {name}"))),
    );
    offences
}

/// The texts between backticks.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn is_source_path(span: &str) -> bool {
    (span.starts_with("crates/") || span.starts_with("xtask/")) && span.ends_with(".rs")
}

/// Crate and lines of a row such as `` | `gemicro-core` | 27.9k | … ``.
fn size_row(line: &str) -> Option<(String, usize)> {
    let mut cells = line.strip_prefix("| `gemicro-")?.split('|');
    let name = format!("gemicro-{}", cells.next()?.trim().strip_suffix('`')?);
    let thousands: f64 = cells.next()?.trim().strip_suffix('k')?.parse().ok()?;
    Some((name, (thousands * 1_000.0) as usize))
}

fn product_lines(files: &[SourceFile], package: &str) -> usize {
    let own = files.iter().filter(|file| {
        let place = file_place::of(&file.path);
        file.path.ends_with(".rs") && place.package == package && place.purpose == FilePurpose::Product
    });
    own.map(|file| file.text.lines().count()).sum()
}

fn members(files: &[SourceFile]) -> Vec<String> {
    let manifests = files.iter().filter_map(|file| {
        let folder = file.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        (!folder.contains('/')).then(|| folder.to_owned())
    });
    manifests.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    fn offences(page: &str) -> Vec<String> {
        let files = [
            file(PAGE, page),
            file("crates/gemicro-event/Cargo.toml", ""),
            file("crates/gemicro-event/src/lib.rs", &"x\n".repeat(1_000)),
            file("crates/gemicro-event/tests/it/main.rs", &"x\n".repeat(5_000)),
        ];
        check(&files)
            .into_iter()
            .map(|offence| offence.to_string())
            .collect()
    }

    const ROW: &str = "| `gemicro-event` | 1.1k | words |\n";

    #[test]
    fn a_page_that_is_true_passes() {
        let walk: String = (1..=10)
            .map(|n| format!("{n}. `crates/gemicro-event/src/lib.rs`: it.\n"))
            .collect();
        assert_eq!(
            offences(&format!("{ROW}\n## One\n{walk}\n## Two\n{walk}")),
            Vec::<String>::new()
        );
    }

    #[test]
    fn what_is_not_true_is_named() {
        assert_eq!(
            offences("| `gemicro-event` | 2.0k | words |\n`crates/gemicro-event/src/gone.rs`\n"),
            [
                "ARCHITECTURE.md:1: gemicro-event has 1000 lines, the table says 2000",
                "ARCHITECTURE.md:2: there is no file crates/gemicro-event/src/gone.rs",
            ]
        );
        assert_eq!(
            offences("nothing\n"),
            ["ARCHITECTURE.md:1: the table of crates has no row for gemicro-event"]
        );
        let walk: String = (1..=12).map(|n| format!("{n}. a file\n")).collect();
        assert_eq!(
            offences(&format!("{ROW}{walk}")),
            ["ARCHITECTURE.md:12: a walk has at most 10 files"]
        );
    }
}
