//! Renders coverage as a table of at most 100 columns.

use gemicro_event::text::is_hidden;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::coverage::gather::GatheredCoverage;
use crate::coverage::language::CodeLanguage;
use crate::coverage::totals::Totals;

/// Maximum width of the table, in columns.
const WIDTH: usize = 100;
/// Maximum width of a path, in columns.
const MAX_PATH: usize = 48;
/// Widths of the number columns: lines, covered, percent.
const NUMBERS: [usize; 3] = [7, 7, 6];
/// Separator between two columns.
const GAP: &str = "  ";

/// Renders files, totals by language if there are several, the overall total, and warnings.
pub(super) fn table(gathered: &GatheredCoverage) -> String {
    let files = &gathered.coverage.files;
    let body: Vec<TableRow> = files
        .iter()
        .map(|file| {
            let ranges: Vec<String> = file.uncovered().iter().map(ToString::to_string).collect();
            TableRow::new(visible(&file.path), file.totals(), ranges)
        })
        .collect();
    let sums = sums(gathered);
    let all_rows = || body.iter().chain(&sums);
    let path_width = all_rows()
        .map(|row| row.name.width())
        .max()
        .unwrap_or(0)
        .clamp(4, MAX_PATH);
    let n_numbers: usize = NUMBERS.iter().map(|width| width + GAP.len()).sum();
    let range_width = WIDTH - path_width - n_numbers - GAP.len();
    let layout = TableLayout {
        path_width,
        range_width,
    };
    let ranges_shown = body
        .iter()
        .map(|row| row.shown_ranges(range_width).width())
        .max()
        .unwrap_or(0)
        .max(9);
    let rule_width = path_width + n_numbers + GAP.len() + ranges_shown;
    let rule = "-".repeat(rule_width);
    let mut lines = vec![layout.head(), rule.clone()];
    lines.extend(body.iter().map(|row| layout.line(row)));
    if !body.is_empty() {
        lines.push(rule);
    }
    lines.extend(sums.iter().map(|row| layout.line(row)));
    let totals = gathered.coverage.totals();
    if totals.functions > 0 {
        let (called, all, percent) = (
            totals.functions_covered,
            totals.functions,
            totals.functions_percent(),
        );
        lines.push(format!("Functions called: {called} of {all} ({percent:.2} %)"));
    }
    lines.extend(
        gathered
            .warnings
            .iter()
            .map(|warning| format!("warning: {}", visible(warning))),
    );
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// One line of the table.
struct TableRow {
    name: String,
    totals: Totals,
    ranges: Vec<String>,
}

impl TableRow {
    fn new(name: String, totals: Totals, ranges: Vec<String>) -> Self {
        Self { name, totals, ranges }
    }

    /// The ranges that fit into the width; `…` means that there are more.
    fn shown_ranges(&self, width: usize) -> String {
        let mut shown = String::new();
        for (idx, range) in self.ranges.iter().enumerate() {
            let comma = if idx == 0 { "" } else { ", " };
            let is_last = idx + 1 == self.ranges.len();
            let room_for_more = if is_last { 0 } else { ", …".width() };
            if shown.width() + comma.len() + range.len() + room_for_more > width {
                shown.push_str(comma);
                shown.push('…');
                break;
            }
            shown.push_str(comma);
            shown.push_str(range);
        }
        shown
    }
}

/// The total rows after the files.
fn sums(gathered: &GatheredCoverage) -> Vec<TableRow> {
    let files = &gathered.coverage.files;
    let sum = |name: &str, is_meant: &dyn Fn(CodeLanguage) -> bool| {
        let mut totals = Totals::default();
        let meant: Vec<_> = files.iter().filter(|file| is_meant(file.language)).collect();
        meant.iter().for_each(|file| totals += file.totals());
        let noun = if meant.len() == 1 { "file" } else { "files" };
        let name = format!("{name}, {} {noun}", meant.len());
        (!meant.is_empty()).then(|| TableRow::new(name, totals, Vec::new()))
    };
    let languages = [
        (CodeLanguage::Cpp, "C++ and C"),
        (CodeLanguage::Rust, "Rust"),
        (CodeLanguage::Other, "Other"),
    ];
    let mut rows: Vec<TableRow> = languages
        .iter()
        .filter_map(|(language, name)| sum(name, &|of_file| of_file == *language))
        .collect();
    if rows.len() < 2 {
        rows.clear();
    }
    let total = sum("Total", &|_| true);
    rows.push(
        total.unwrap_or_else(|| TableRow::new("Total, 0 files".to_owned(), Totals::default(), Vec::new())),
    );
    rows
}

struct TableLayout {
    path_width: usize,
    range_width: usize,
}

impl TableLayout {
    fn head(&self) -> String {
        let [lines, covered, percent] = NUMBERS;
        let path = pad_cell("File", self.path_width);
        format!(
            "{path}{GAP}{:>lines$}{GAP}{:>covered$}{GAP}{:>percent$}{GAP}Uncovered",
            "Lines", "Covered", "%"
        )
    }

    fn line(&self, row: &TableRow) -> String {
        let [lines, covered, percent] = NUMBERS;
        let totals = &row.totals;
        let shown_percent = match totals.lines {
            0 => "-".to_owned(),
            _ => format!("{:.2}", totals.percent()),
        };
        format!(
            "{}{GAP}{:>lines$}{GAP}{:>covered$}{GAP}{shown_percent:>percent$}{GAP}{}",
            pad_cell(&shorten_name(&row.name, self.path_width), self.path_width),
            totals.lines,
            totals.covered,
            row.shown_ranges(self.range_width),
        )
    }
}

/// Shortens a name at the start, because its end says more.
fn shorten_name(name: &str, width: usize) -> String {
    if name.width() <= width {
        return name.to_owned();
    }
    let mut n_columns = 1;
    let kept = name.chars().rev().take_while(|char| {
        n_columns += char.width().unwrap_or(0);
        n_columns <= width
    });
    let kept: Vec<char> = kept.collect();
    std::iter::once('…').chain(kept.into_iter().rev()).collect()
}

fn pad_cell(text: &str, width: usize) -> String {
    let n_missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(n_missing))
}

/// Escapes characters of untrusted text that a terminal would act on.
fn visible(text: &str) -> String {
    let shown = |char: char| match is_hidden(char) {
        true => char.escape_unicode().to_string(),
        false => char.to_string(),
    };
    text.chars().map(shown).collect()
}
