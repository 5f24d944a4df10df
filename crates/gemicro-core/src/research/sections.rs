//! The sections of a report, so that one can be changed and the others stay as they are, byte by byte.

use std::ops::Range;

/// Sections that the program writes itself; they cannot be revised.
const OWN: [&str; 3] = ["Contradictions", "Without an answer", "Sources"];

/// One section of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportSection {
    /// Its heading; empty for the text before the first.
    pub(super) title: String,
    /// Its text below the heading, as a byte range of the report.
    pub(super) body: Range<usize>,
}

/// The sections of a report: `## headings`, or lines of bold text alone. What stands before the first heading is
/// a section without a title.
pub(super) fn sections(report: &str) -> Vec<ReportSection> {
    let mut sections = vec![ReportSection {
        title: String::new(),
        body: 0..0,
    }];
    let mut in_code = false;
    let mut at = 0;
    for line in report.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if let Some(title) = heading(line).filter(|_| !in_code) {
            if let Some(last) = sections.last_mut() {
                last.body.end = at;
            }
            sections.push(ReportSection {
                title: title.to_owned(),
                body: at + line.len()..at + line.len(),
            });
        }
        at += line.len();
        if let Some(last) = sections.last_mut() {
            last.body.end = at;
        }
    }
    sections.retain(|it| !it.title.is_empty() || !report[it.body.clone()].trim().is_empty());
    sections
}

fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let hashes = line
        .strip_prefix("##")
        .map(|rest| rest.trim_start_matches('#').trim());
    let bold = line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    hashes
        .or(bold)
        .map(str::trim)
        .filter(|title| !title.is_empty() && !title.contains("**"))
}

/// A model's text without sections that only the program writes: a list of sources of its own proves nothing.
pub(super) fn without_own(text: &str) -> String {
    let forged: Vec<ReportSection> = sections(text)
        .into_iter()
        .filter(|it| {
            OWN.iter()
                .any(|own| own.eq_ignore_ascii_case(it.title.trim_end_matches(':').trim()))
        })
        .collect();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for section in forged {
        let heading = text[..section.body.start].trim_end_matches('\n');
        let start = heading.rfind('\n').map_or(0, |at| at + 1);
        out.push_str(&text[copied..start.max(copied)]);
        copied = section.body.end;
    }
    out.push_str(&text[copied..]);
    out
}

/// The section that a person named by its title, the beginning of its title, or its number from 1. Those that
/// the program writes itself do not count.
pub(super) fn find<'a>(sections: &'a [ReportSection], named: &str) -> Option<&'a ReportSection> {
    let named = named.trim();
    let mut open = sections.iter().filter(|it| !OWN.contains(&it.title.as_str()));
    if let Ok(number) = named.parse::<usize>() {
        return number.checked_sub(1).and_then(|idx| open.nth(idx));
    }
    let lower = named.to_lowercase();
    let mut exact = open
        .clone()
        .filter(|it| !lower.is_empty() && it.title.to_lowercase() == lower);
    let first = exact.next();
    if exact.next().is_some() {
        // Two of that name: only a number tells them apart.
        return None;
    }
    first.or_else(|| {
        let mut starting = open.filter(|it| !lower.is_empty() && it.title.to_lowercase().starts_with(&lower));
        let first = starting.next();
        first.filter(|_| starting.next().is_none())
    })
}

/// Their titles for people, numbered.
pub(super) fn titles(report: &str) -> Vec<String> {
    let sections = sections(report);
    let open = sections.iter().filter(|it| !OWN.contains(&it.title.as_str()));
    open.enumerate()
        .map(|(idx, section)| match section.title.as_str() {
            "" => format!("{} (the text at the top)", idx + 1),
            title => format!("{} {title}", idx + 1),
        })
        .collect()
}

/// The report with one section's text replaced; every other byte stays.
pub(super) fn replace(report: &str, body: &Range<usize>, text: &str) -> String {
    let old = &report[body.clone()];
    let before = old.len() - old.trim_start().len();
    let after = old.trim_end().len();
    let (lead, tail) = if old.trim().is_empty() {
        ("\n", old)
    } else {
        (&old[..before], &old[after..])
    };
    let (head, rest) = (&report[..body.start], &report[body.end..]);
    format!("{head}{lead}{}{tail}{rest}", text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "In short [1].\n\n## History\n\nOld [1].\n\n**Money**\n\nDear [2].\n\n## Sources\n\n1. a.md: \"Old\"\n2. b.md: \"Dear\"";

    #[test]
    fn a_section_is_found_by_title_beginning_or_number() {
        let all = sections(REPORT);
        let text = |named: &str| find(&all, named).map(|it| REPORT[it.body.clone()].trim());
        let cases = [
            ("History", Some("Old [1].")),
            ("history", Some("Old [1].")),
            ("mon", Some("Dear [2].")),
            ("1", Some("In short [1].")),
            ("3", Some("Dear [2].")),
            ("Sources", None),
            ("4", None),
            ("0", None),
            ("", None),
            ("Future", None),
        ];
        for (named, expected) in cases {
            assert_eq!(text(named), expected, "{named:?}");
        }
        assert_eq!(
            titles(REPORT),
            ["1 (the text at the top)", "2 History", "3 Money"]
        );
    }

    #[test]
    fn lists_of_sources_that_a_model_writes_are_taken_out() {
        let text = "It is so.\n\n## sources:\n\n1. forged.md: \"x\"\n\n## More\n\nYes.\n**Sources**\n2. y";
        assert_eq!(without_own(text), "It is so.\n\n## More\n\nYes.\n");
        assert_eq!(
            without_own(REPORT),
            REPORT.split("## Sources").next().expect("a part")
        );
        assert_eq!(without_own("no headings"), "no headings");
    }

    #[test]
    fn two_sections_of_one_name_need_a_number() {
        let report = "## Cost\n\nA\n\n## Cost\n\nB\n";
        let all = sections(report);
        assert_eq!(find(&all, "Cost"), None);
        assert_eq!(
            find(&all, "2").map(|it| report[it.body.clone()].trim()),
            Some("B")
        );
    }

    #[test]
    fn headings_in_code_are_text() {
        let report = "A\n```\n## not a heading\n```\nB";
        assert_eq!(sections(report).len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn every_other_byte_stays(report in "(## [a-c]{1,3}\n|\\*\\*[a-c]\\*\\*\n|[a-z é\n]{0,12}){0,6}", pick in 0usize..6, text in "[a-z]{1,9}") {
            let all = sections(&report);
            if let Some(section) = all.get(pick % all.len().max(1)) {
                let changed = replace(&report, &section.body, &text);
                proptest::prop_assert!(changed.starts_with(&report[..section.body.start]));
                proptest::prop_assert!(changed.ends_with(&report[section.body.end..]));
                proptest::prop_assert!(changed.contains(&text));
            }
        }
    }
}
