//! Lays out a table as text: columns as wide as needed, cells wrapped if they do not fit.

use pulldown_cmark::Alignment;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use super::wrap;

const BETWEEN: &str = " │ ";
const CROSSING: &str = "─┼─";

type Cell = Vec<Span<'static>>;

/// Lays out rows; the first is the header.
pub(super) fn lay_out(
    rows: &[Vec<Cell>],
    alignments: &[Alignment],
    columns: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let n_cells = alignments.len();
    let Some(room) = columns
        .checked_sub(3 * n_cells.saturating_sub(1))
        .filter(|room| *room >= n_cells)
    else {
        // Too narrow for columns: one cell below the other.
        return rows
            .iter()
            .flatten()
            .flat_map(|cell| wrap::wrap(cell, columns))
            .collect();
    };
    let widths = widths(rows, n_cells, room);
    let mut lines = Vec::new();
    for (idx, row) in rows.iter().enumerate() {
        let style = if idx == 0 { theme.strong() } else { theme.plain() };
        let cells: Vec<Vec<Line<'static>>> = (0..n_cells)
            .map(|at| {
                row.get(at)
                    .map_or_else(Vec::new, |cell| wrap::wrap(cell, widths[at]))
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for line_idx in 0..height {
            let mut spans = Vec::new();
            for (at, cell) in cells.iter().enumerate() {
                if at > 0 {
                    spans.push(Span::styled(BETWEEN, theme.faint()));
                }
                let words = cell
                    .get(line_idx)
                    .map_or_else(Vec::new, |line| line.spans.clone());
                let missing = widths[at].saturating_sub(wrap::width(&words));
                let before = match alignments[at] {
                    Alignment::Right => missing,
                    Alignment::Center => missing / 2,
                    Alignment::None | Alignment::Left => 0,
                };
                spans.push(Span::raw(" ".repeat(before)));
                spans.extend(words.into_iter().map(|it| it.patch_style(style)));
                spans.push(Span::raw(" ".repeat(missing - before)));
            }
            lines.push(Line::from(spans));
        }
        if idx == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.push(Line::styled(rules.join(CROSSING), theme.faint()));
        }
    }
    lines
}

/// The width of each column; the widest are reduced until all fit.
fn widths(rows: &[Vec<Cell>], n_cells: usize, room: usize) -> Vec<usize> {
    let natural = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        cells
            .map(|cell| wrap::width(cell))
            .max()
            .unwrap_or(0)
            .clamp(1, room)
    };
    let mut widths: Vec<usize> = (0..n_cells).map(natural).collect();
    while widths.iter().sum::<usize>() > room {
        if let Some(widest) = widths.iter_mut().max() {
            *widest -= 1;
        }
    }
    widths
}
