//! Lines of cells below each other.

use crate::screen::text;

/// Lays lines out in columns; the last cell of a line gets what is left of it, and no cell more than a third.
pub(crate) fn columns<const N: usize>(lines: &[[String; N]], width: usize) -> String {
    let widest: Vec<usize> = (0..N)
        .map(|idx| {
            let widths = lines.iter().map(|cells| text::width(&cells[idx]));
            widths.max().unwrap_or(0).min((width / 3).max(8))
        })
        .collect();
    let mut page = String::new();
    for cells in lines {
        let mut line = String::new();
        for (idx, cell) in cells.iter().enumerate() {
            if idx + 1 == N {
                let rest = width.saturating_sub(text::width(&line)).max(8);
                line.push_str(&text::cut(cell, rest));
            } else {
                let cell = text::cut(cell, widest[idx]);
                line.push_str(&text::pad(&cell, widest[idx] + 2));
            }
        }
        page.push_str(line.trim_end());
        page.push('\n');
    }
    page
}
