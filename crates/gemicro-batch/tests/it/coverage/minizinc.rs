//! The real MiniZinc reads the data, and its values are those of the JSON answer.
//!
//! A machine without MiniZinc skips this with a loud line, and fails in CI.

use gemicro_batch::coverage::{GatheredCoverage, OutputFormat, render};
use serde_json::Value;

use super::answers::{gathered, shapes};
use super::project::{Project, assert_there, run};

/// What the model tells about this coverage.
fn as_data(gathered: &GatheredCoverage) -> Value {
    let project = Project::new();
    let data = render(gathered, OutputFormat::MinizincDzn);
    project.write("coverage.dzn", data.as_str().unwrap());
    project.write("coverage.mzn", include_str!("coverage.mzn"));
    let printed = run(&project.root(), &["minizinc", "coverage.mzn", "coverage.dzn"]);
    let line = printed
        .lines()
        .find(|line| line.starts_with('{'))
        .unwrap_or_else(|| panic!("{printed}"));
    // What MiniZinc shows of a string is JSON but for the control characters.
    let escaped: String = line
        .chars()
        .map(|char| {
            if char.is_control() {
                format!("\\u{:04x}", u32::from(char))
            } else {
                char.to_string()
            }
        })
        .collect();
    serde_json::from_str(&escaped).unwrap_or_else(|error| panic!("{error}: {escaped}"))
}

/// The same out of the JSON answer.
fn expected(gathered: &GatheredCoverage) -> Value {
    let json = render(gathered, OutputFormat::Json);
    let files = json["files"].as_array().unwrap();
    let of_files = |key: &str| Value::from_iter(files.iter().map(|file| file[key].clone()));
    let inner = |key: &str| {
        files
            .iter()
            .flat_map(|file| file[key].as_array().unwrap().clone())
            .collect::<Vec<_>>()
    };
    let numbers = |key: &str| {
        let numbered = (1_u64..).zip(files);
        Value::from_iter(
            numbered.flat_map(|(number, file)| vec![number; file[key].as_array().unwrap().len()]),
        )
    };
    let functions = inner("functions");
    let of_functions = |key: &str| Value::from_iter(functions.iter().map(|function| function[key].clone()));
    let summary = &json["summary"];
    serde_json::json!({
        "files": summary["files"],
        "lines": summary["lines"],
        "covered": summary["covered"],
        "functions": summary["functions"],
        "functions_covered": summary["functions_covered"],
        "paths": of_files("path"),
        "languages": of_files("language"),
        "uncovered": inner("uncovered"),
        "uncovered_of": numbers("uncovered"),
        "names": of_functions("name"),
        "names_of": numbers("functions"),
        "begins": of_functions("line"),
        "calls": of_functions("count"),
    })
}

#[test]
fn minizinc_reads_what_json_says() {
    assert_there(&[&["minizinc", "--version"]]);
    let odd = gathered(&[
        ("quote\".cpp", &[(1, 0), (2, 1)], &[("operator\"\"_x", 1, 0)]),
        ("back\\slash\\\\.cpp", &[(1, 0)], &[("a\\", 1, (1 << 53) - 1)]),
        ("call\\(n_files)\\n.rs", &[(7, 0), (8, 0)], &[]),
        ("line\nfeed\r\ttab.rs", &[(1, 3)], &[]),
        ("bell\u{7}\u{1f}\u{7f}\u{1}1.rs", &[], &[]),
        ("漢字 ü 🦀 \u{2028}.c", &[(1, 1)], &[("größe", 1, 2)]),
        ("100 % of %s; 'x'.c", &[(1, 1)], &[]),
        ("$(x) ${y} {z} [1,2];", &[(10_000_000, 0)], &[]),
    ]);
    for (name, gathered) in [
        ("both languages", shapes()),
        ("odd names", odd),
        ("nothing", gathered(&[])),
    ] {
        assert_eq!(as_data(&gathered), expected(&gathered), "{name}");
    }
}
