//! Lines of cells below each other.

use crate::screen::text;

/// Lays lines out in columns; the last cell of a line gets what is left of it, and no cell more than a third. A last cell
/// that does not fit is cut, or continued below where it has to be read whole.
pub(crate) fn columns<const N: usize>(
    lines: &[[String; N]],
    width: usize,
    is_whole: impl Fn(usize) -> bool,
) -> Vec<String> {
    let widest: Vec<usize> = (0..N)
        .map(|idx| {
            let widths = lines.iter().map(|cells| text::width(&cells[idx]));
            widths.max().unwrap_or(0).min((width / 3).max(8))
        })
        .collect();
    let laid_out = lines.iter().enumerate().map(|(line_idx, cells)| {
        let mut line = String::new();
        for (idx, cell) in cells.iter().enumerate() {
            if idx + 1 == N {
                let indent = text::width(&line);
                let rest = width.saturating_sub(indent).max(8);
                if is_whole(line_idx) {
                    let below = format!("\n{}", " ".repeat(indent));
                    line.push_str(&text::wrap_markdown(cell, rest).replace('\n', &below));
                } else {
                    line.push_str(&text::cut(cell, rest));
                }
            } else {
                let cell = text::cut(cell, widest[idx]);
                line.push_str(&text::pad(&cell, widest[idx] + 2));
            }
        }
        line.truncate(line.trim_end().len());
        line
    });
    laid_out.collect()
}
