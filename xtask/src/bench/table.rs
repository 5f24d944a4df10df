//! Plain text tables: first column to the left, figures to the right.

/// Lays out rows of equal length under their headings.
pub(crate) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count());
        cells.chain([headings[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let cells = cells.iter().zip(&widths).enumerate();
        let padded: Vec<String> = cells
            .map(|(idx, (cell, width))| {
                if idx == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        format!("  {}\n", padded.join("  ").trim_end())
    };
    let mut text = line(headings);
    for row in rows {
        text.push_str(&line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [
            vec!["full".to_owned(), "0.9500".to_owned()],
            vec!["−subject".to_owned(), "–".to_owned()],
        ];
        assert_eq!(
            table(&["set", "recall"], &rows),
            "  set       recall\n  full      0.9500\n  −subject       –\n"
        );
    }
}
