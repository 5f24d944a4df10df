//! What the chosen rows say: a cell, or a number worked out from a column.

use super::cells::{format_number, number, places, plain};
use super::operation::Operation;
use super::{ChosenRows, FactTable, MOST_ROWS, MOST_ROWS_OF_VALUE, TableAnswer};
use crate::offline::question::{AnswerType, Question};

impl FactTable<'_> {
    pub(super) fn conclude(
        &self,
        operation: Operation,
        chosen: &ChosenRows,
        target: Option<usize>,
        question: &Question,
    ) -> Option<TableAnswer> {
        let is_filtered = !chosen.columns.is_empty();
        let numbers: Vec<(usize, f64)> = target.map_or_else(Vec::new, |column| {
            let cells = chosen
                .rows
                .iter()
                .filter_map(|idx| Some((*idx, number(self.rows[*idx].cells.get(column)?)?)));
            cells.collect()
        });
        match operation {
            Operation::Largest | Operation::Smallest => {
                let column = target?;
                let sign = if operation == Operation::Largest {
                    1.0
                } else {
                    -1.0
                };
                let best = numbers.iter().max_by(|left, right| {
                    (left.1 * sign)
                        .total_cmp(&(right.1 * sign))
                        .then(right.0.cmp(&left.0))
                })?;
                let which = if operation == Operation::Largest {
                    "highest"
                } else {
                    "lowest"
                };
                let same = numbers.iter().filter(|(_, value)| value == &best.1);
                let rows: Vec<usize> = same.map(|(idx, _)| *idx).collect();
                let summary = format!(
                    "{} has the {which} {}: {}, of {} rows.",
                    self.key(rows[0]),
                    self.heads[column],
                    format_number(best.1),
                    numbers.len()
                );
                Some(self.to_answer(&rows, Some(format_number(best.1)), Some(summary)))
            }
            Operation::Sum | Operation::Average => {
                let column = target?;
                if numbers.is_empty() {
                    return None;
                }
                let sum: f64 = numbers.iter().map(|(_, value)| value).sum();
                let (name, value) = if operation == Operation::Sum {
                    ("Total", sum)
                } else {
                    ("Average", sum / numbers.len() as f64)
                };
                let rows: Vec<usize> = numbers.iter().map(|(idx, _)| *idx).collect();
                let cells = rows.iter().filter_map(|idx| self.rows[*idx].cells.get(column));
                let n_places = cells.map(|cell| places(cell)).max().unwrap_or(0);
                let shown = if operation == Operation::Sum {
                    format_number(value)
                } else if n_places == 0 {
                    format_number((value * 10.0).round() / 10.0)
                } else {
                    format!("{value:.n_places$}")
                };
                let summary = format!("{name} {} of {} rows: {shown}.", self.heads[column], rows.len());
                Some(self.to_answer(&rows, Some(shown), Some(summary)))
            }
            Operation::Count => {
                if let (Some(column), [(idx, value)]) = (target, numbers.as_slice())
                    && is_filtered
                {
                    let summary = format!(
                        "{} – {}: {}.",
                        self.key(*idx),
                        self.heads[column],
                        format_number(*value)
                    );
                    return Some(self.to_answer(&[*idx], Some(format_number(*value)), Some(summary)));
                }
                if !is_filtered {
                    return None;
                }
                let filter: Vec<String> = chosen
                    .columns
                    .iter()
                    .map(|column| {
                        format!(
                            "{} {}",
                            self.heads[*column], self.rows[chosen.rows[0]].cells[*column]
                        )
                    })
                    .collect();
                let summary = format!(
                    "{} of {} rows have {}.",
                    chosen.rows.len(),
                    self.rows.len(),
                    filter.join(" and ")
                );
                Some(self.to_answer(&chosen.rows, Some(chosen.rows.len().to_string()), Some(summary)))
            }
            Operation::Compare | Operation::Lookup => {
                let is_open = matches!(question.expected, AnswerType::Value | AnswerType::Explanation);
                let most = if is_open { MOST_ROWS } else { MOST_ROWS_OF_VALUE };
                if !is_filtered || chosen.rows.len() > most {
                    return None;
                }
                let is_key = chosen.columns.contains(&0);
                if target.is_none()
                    && !is_key
                    && operation == Operation::Lookup
                    && !matches!(question.expected, AnswerType::Value | AnswerType::Explanation)
                {
                    return None;
                }
                let mut facts: Vec<String> = Vec::new();
                if let Some(column) = target {
                    for idx in &chosen.rows {
                        let cell = self.rows[*idx]
                            .cells
                            .get(column)
                            .copied()
                            .filter(|cell| !cell.is_empty());
                        facts.extend(cell.map(|cell| {
                            format!("{} – {}: {}", self.key(*idx), self.heads[column], plain(cell))
                        }));
                    }
                    if facts.is_empty() {
                        return None;
                    }
                }
                let value = target
                    .and_then(|column| self.rows[chosen.rows[0]].cells.get(column))
                    .map(|cell| (*cell).to_owned());
                let mut summary = (!facts.is_empty()).then(|| format!("{}.", facts.join("; ")));
                if let ([(_, left), (_, right)], true) = (numbers.as_slice(), chosen.is_alternative) {
                    let difference = format_number((left - right).abs());
                    summary = summary
                        .map(|facts| format!("{} (difference: {difference}).", facts.trim_end_matches('.')));
                }
                let mut answer = self.to_answer(&chosen.rows, value, summary);
                answer.is_computed = chosen.is_alternative;
                Some(answer)
            }
        }
    }

    fn key(&self, row: usize) -> &str {
        self.rows[row].cells.first().copied().unwrap_or("")
    }

    fn to_answer(&self, rows: &[usize], value: Option<String>, summary: Option<String>) -> TableAnswer {
        let trusted = rows
            .iter()
            .map(|idx| self.rows[*idx].passage)
            .filter(|passage| self.document.is_quotable(passage));
        TableAnswer {
            rows: trusted.take(MOST_ROWS).cloned().collect(),
            value,
            summary,
            share: 0.0,
            is_computed: true,
        }
    }
}
