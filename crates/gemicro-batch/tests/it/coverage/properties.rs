//! Random and mutated reports never panic; strings survive the way to MiniZinc and back.

use gemicro_batch::coverage::{
    FileCoverage, GatheredCoverage, OutputFormat, ProjectCoverage, read_report, render,
};
use proptest::prelude::*;

use super::answers::gathered;

const REPORTS: [&str; 5] = [
    include_str!("reports/lcov-1.16.info"),
    include_str!("reports/lcov-2.info"),
    include_str!("reports/llvm-cov-19.json"),
    include_str!("reports/gcovr-8.7.xml"),
    include_str!("reports/coverage-py-7.17.xml"),
];

/// One change of a report.
#[derive(Debug, Clone)]
enum Change {
    Cut(usize),
    Put(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize),
    Say(usize, &'static str),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<u16>().prop_map(usize::from);
    let words = [
        "-1",
        "NaN",
        "99999999999999999999",
        "1e400",
        "null",
        "\0",
        "&x;",
        "<line/>",
        "]]>",
        "SF:x\n",
        "end_of_record\n",
        "[[[",
        "{}",
        "\u{feff}",
        "10000001",
        "</class>",
        "\"",
    ];
    prop_oneof![
        at.clone().prop_map(Change::Cut),
        (at.clone(), any::<u8>()).prop_map(|(at, byte)| Change::Put(at, byte)),
        (at.clone(), 1_usize..40).prop_map(|(at, n)| Change::Remove(at, n)),
        (at.clone(), 1_usize..400).prop_map(|(at, n)| Change::Repeat(at, n)),
        (at, proptest::sample::select(words.to_vec())).prop_map(|(at, word)| Change::Say(at, word)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let within = |at: usize| at % (bytes.len() + 1);
        match change {
            Change::Cut(at) => bytes.truncate(within(*at)),
            Change::Put(at, byte) => {
                let at = within(*at);
                if at < bytes.len() {
                    bytes[at] = *byte;
                }
            }
            Change::Remove(at, n) => {
                let at = within(*at);
                bytes.drain(at..(at + n).min(bytes.len()));
            }
            Change::Repeat(at, n) => {
                let at = within(*at);
                let part = bytes[at..(at + n).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
            Change::Say(at, word) => {
                let at = within(*at);
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    bytes
}

/// Reads bytes; a report that can be read can be told in every format, and its sums fit.
fn check(bytes: &[u8]) {
    let Ok(report) = read_report("r", bytes) else {
        return;
    };
    let coverage = ProjectCoverage::of(report.files);
    let totals = coverage.totals();
    assert!(totals.covered <= totals.lines && totals.functions_covered <= totals.functions);
    let gathered = GatheredCoverage {
        coverage,
        reports: Vec::new(),
        warnings: report.warnings,
    };
    for format in [
        OutputFormat::Json,
        OutputFormat::MinizincDzn,
        OutputFormat::TextSummary,
    ] {
        let _ = render(&gathered, format);
    }
}

/// The strings of `files` in data for MiniZinc, as its grammar reads them.
fn files_of(data: &str) -> Vec<String> {
    let line = data
        .lines()
        .find_map(|line| line.strip_prefix("files = ["))
        .unwrap();
    let mut chars = line.chars().peekable();
    let mut strings = Vec::new();
    while let Some(char) = chars.next() {
        match char {
            ']' => return strings,
            ',' | ' ' => {}
            '"' => strings.push(string(&mut chars)),
            other => panic!("{other} between strings"),
        }
    }
    panic!("the array does not end: {line}")
}

fn string(chars: &mut impl Iterator<Item = char>) -> String {
    let mut text = String::new();
    loop {
        match chars.next().unwrap() {
            '"' => return text,
            '\\' => match chars.next().unwrap() {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'x' => {
                    let digits: String = [chars.next().unwrap(), chars.next().unwrap()].iter().collect();
                    text.push(char::from(u8::from_str_radix(&digits, 16).unwrap()));
                }
                plain @ ('"' | '\\') => text.push(plain),
                other => panic!("an expression or an unknown escape: \\{other}"),
            },
            char => {
                assert!(!char.is_ascii_control());
                text.push(char);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_an_error_or_a_report(
        beginning in proptest::sample::select(vec!["", "SF:a\n", "{\"data\":[{\"files\":[", "<coverage><packages>", "<"]),
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
    ) {
        check(&[beginning.as_bytes(), &bytes].concat());
    }

    #[test]
    fn changed_reports_are_an_error_or_a_report(
        idx in 0..REPORTS.len(),
        changes in proptest::collection::vec(change(), 1..6),
    ) {
        check(&changed(REPORTS[idx].as_bytes().to_vec(), &changes));
    }

    #[test]
    fn names_survive_the_way_to_minizinc(names in proptest::collection::btree_set("[^\u{0}]{0,20}", 0..6)) {
        let files: Vec<_> = names.iter().map(|name| (name.as_str(), [].as_slice(), [].as_slice())).collect();
        let data = render(&gathered(&files), OutputFormat::MinizincDzn);
        prop_assert_eq!(files_of(data.as_str().unwrap()), names.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn ranges_hold_exactly_the_lines_that_did_not_run(
        lines in proptest::collection::btree_map(1_u32..60, 0_u64..3, 0..40),
    ) {
        let file = FileCoverage { lines: lines.clone(), ..FileCoverage::new("a.c".to_owned()) };
        let ranges = file.uncovered();
        for (line, count) in &lines {
            prop_assert_eq!(ranges.iter().any(|range| range.holds(*line)), *count == 0);
        }
        for pair in ranges.windows(2) {
            prop_assert!(lines.range(pair[0].last..pair[1].first).any(|(_, count)| *count > 0), "two ranges could be one");
        }
        for range in &ranges {
            prop_assert!(lines.get(&range.first) == Some(&0) && lines.get(&range.last) == Some(&0));
        }
    }

    #[test]
    fn merging_is_the_union_in_any_order(
        one in proptest::collection::btree_map(1_u32..20, 0_u64..3, 0..10),
        other in proptest::collection::btree_map(1_u32..20, 0_u64..3, 0..10),
    ) {
        let coverage = |lines: &std::collections::BTreeMap<u32, u64>| {
            ProjectCoverage::of([FileCoverage { lines: lines.clone(), ..FileCoverage::new("a.c".to_owned()) }])
        };
        let (mut left, mut right) = (coverage(&one), coverage(&other));
        left.merge(coverage(&other));
        right.merge(coverage(&one));
        prop_assert_eq!(&left, &right);
        let merged = &left.files[0].lines;
        for line in 1..20 {
            let count = |lines: &std::collections::BTreeMap<u32, u64>| lines.get(&line).copied();
            let expected = match (count(&one), count(&other)) {
                (None, None) => None,
                (one, other) => Some(one.unwrap_or(0) + other.unwrap_or(0)),
            };
            prop_assert_eq!(count(merged), expected);
        }
    }
}
