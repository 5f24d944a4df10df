//! Plain text tables, shares and verdicts.

/// Lays out rows of equal length under their headings: first column to the left, figures to the right.
pub(crate) fn print(headings: &[&str], rows: &[Vec<String>]) {
    let headings: Vec<String> = headings.iter().map(|&heading| heading.to_owned()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&headings).chain(rows).collect();
    for row in &all {
        let mut line = String::from(" ");
        for (column, cell) in row.iter().enumerate() {
            let widths = all.iter().map(|row| row[column].chars().count());
            let width = widths.max().unwrap_or(0);
            line += &if column == 0 {
                format!(" {cell:<width$}")
            } else {
                format!("  {cell:>width$}")
            };
        }
        println!("{}", line.trim_end());
    }
}

/// A part of a whole as a number between 0 and 1; of nothing everything is kept.
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// Whether a bar was met.
pub(crate) fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}
