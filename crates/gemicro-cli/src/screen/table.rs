//! Lays out all lists as tables.

use super::text;

/// The widest cell of each column.
pub(crate) fn widths<const N: usize>(lines: &[[String; N]]) -> [usize; N] {
    std::array::from_fn(|idx| {
        let widths = lines.iter().map(|cells| text::width(&cells[idx]));
        widths.max().unwrap_or(0)
    })
}

/// Lays out the shown columns with these widths; the last one gets the rest of a line of `columns`.
pub(crate) fn layout<const N: usize>(
    lines: &[[String; N]],
    shown: &[usize],
    widths: &[usize; N],
    columns: usize,
) -> Vec<String> {
    layout_whole(lines, shown, widths, columns, |_| false)
}

/// Lays out all columns, each but the last at most a third of the screen wide. If a line `is_whole`, its last cell is
/// wrapped instead of cut.
pub(crate) fn thirds<const N: usize>(
    lines: &[[String; N]],
    columns: usize,
    is_whole: impl Fn(usize) -> bool,
) -> Vec<String> {
    let all: [usize; N] = std::array::from_fn(|idx| idx);
    let widths = widths(lines).map(|width| width.min((columns / 3).max(8)));
    layout_whole(lines, &all, &widths, columns, is_whole)
}

fn layout_whole<const N: usize>(
    lines: &[[String; N]],
    shown: &[usize],
    widths: &[usize; N],
    columns: usize,
    is_whole: impl Fn(usize) -> bool,
) -> Vec<String> {
    let (last, others) = shown.split_last().expect("a table has a column");
    let layout = |(line_idx, cells): (usize, &[String; N])| {
        let padded = |idx: &usize| text::pad(&text::cut(&cells[*idx], widths[*idx]), widths[*idx] + 2);
        let mut line: String = others.iter().map(padded).collect();
        let indent = text::width(&line);
        let rest = columns.saturating_sub(indent).max(8);
        if is_whole(line_idx) {
            let below = format!("\n{}", " ".repeat(indent));
            line.push_str(&text::wrap_markdown(&cells[*last], rest).replace('\n', &below));
        } else {
            line.push_str(&text::cut(&cells[*last], rest));
        }
        line.truncate(line.trim_end().len());
        line
    };
    lines.iter().enumerate().map(layout).collect()
}

/// Joins lines into a page.
pub(crate) fn page(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
