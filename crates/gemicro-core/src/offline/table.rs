//! Tables: rows as facts "row key – column: value", and what can be worked out from a column.
//!
//! The main function is [`best_answer`]. Rows are chosen by the values that the question names, a column by its head
//! or its unit. A number that is worked out (sum, average, count, difference) is said beside the rows it comes from,
//! and the rows are quoted whole.

mod cells;
mod conclude;
mod operation;

pub(crate) use cells::cells;
use cells::{cell_match, number};
use operation::{Operation, operation};

use super::documents::OpenDocument;
use super::question::{AnswerType, Question};
use super::terms::{QueryTerms, WordForms};
use super::unit_class::UnitClass;
use crate::corpus::{BlockKind, Passage};

/// Rows that are quoted for one answer.
const MOST_ROWS: usize = 10;
/// The same where one value is asked for.
const MOST_ROWS_OF_VALUE: usize = 3;
/// Rows that one table is read with.
const MOST_READ: usize = 100_000;
/// Least share of the question that head, rows, title and operation speak of.
const LEAST: f32 = 0.6;
/// The same where title or path name the table, and the head of the column is named.
const LEAST_NAMED: f32 = 0.5;
/// How much words of the title, the path or another column count.
const BY_PLACE: f32 = 0.8;
const BY_HEAD: f32 = 0.95;

/// An answer from one table.
#[derive(Debug)]
pub(crate) struct TableAnswer {
    /// The rows, best first.
    pub(crate) rows: Vec<Passage>,
    /// The cell or the number that answers.
    pub(crate) value: Option<String>,
    /// What was worked out, as a sentence.
    pub(crate) summary: Option<String>,
    pub(crate) share: f32,
    pub(crate) is_computed: bool,
}

struct FactTable<'a> {
    document: &'a OpenDocument,
    heads: Vec<String>,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    passage: &'a Passage,
    cells: Vec<&'a str>,
}

/// The best answer that a table of these documents gives.
pub(crate) fn best_answer(
    question: &Question,
    terms: &QueryTerms,
    documents: &[OpenDocument],
) -> Option<TableAnswer> {
    let tables = documents.iter().flat_map(tables);
    let answers = tables.filter_map(|table| table.answer(question, terms));
    answers.max_by(|left, right| left.share.total_cmp(&right.share))
}

/// The texts of the first row of the table that a row belongs to; empty for the first row itself.
pub(crate) fn column_heads(document: &OpenDocument, row: &Passage) -> Vec<String> {
    let tables = tables(document);
    let found = tables
        .into_iter()
        .find(|table| table.rows.iter().any(|it| it.passage.ordinal == row.ordinal));
    found.map_or_else(Vec::new, |table| table.heads)
}

/// Whether a row is the head of its table.
pub(crate) fn is_head(document: &OpenDocument, row: &Passage) -> bool {
    let is_row = |it: &Passage| it.kind == BlockKind::TableRow;
    let opens = document.place(row).is_some_and(|place| {
        let before = place.checked_sub(1).map(|place| &document.passages[place]);
        !before.is_some_and(is_row) && document.passages.get(place + 1).is_some_and(is_row)
    });
    opens && column_heads(document, row).is_empty()
}

/// Runs of rows. The first row is the head, unless it holds numbers where the others do.
fn tables(document: &OpenDocument) -> Vec<FactTable<'_>> {
    if [".log", ".jsonl", ".ndjson"]
        .iter()
        .any(|ending| document.doc.ends_with(ending))
    {
        return Vec::new();
    }
    let runs = document
        .passages
        .chunk_by(|left, right| (left.kind == BlockKind::TableRow) == (right.kind == BlockKind::TableRow));
    let runs = runs.filter(|run| run[0].kind == BlockKind::TableRow && run.len() > 1);
    let read = runs.map(|run| {
        let rows = run.iter().take(MOST_READ).map(|passage| Row {
            passage,
            cells: cells(&passage.doc, &passage.text)
                .into_iter()
                .map(|cell| &passage.text[cell])
                .collect(),
        });
        let mut rows: Vec<Row<'_>> = rows.collect();
        // The column of the keys may have no head.
        let n_heads = rows[0].cells.len();
        if rows[1..].iter().all(|row| row.cells.len() == n_heads + 1) {
            rows[0].cells.insert(0, "");
        }
        let is_data = |column: usize| {
            number(rows[0].cells[column]).is_some()
                && rows[1]
                    .cells
                    .get(column)
                    .is_some_and(|cell| number(cell).is_some())
        };
        let has_head = !(0..rows[0].cells.len()).any(is_data);
        let heads = if has_head {
            rows.remove(0).cells.into_iter().map(str::to_owned).collect()
        } else {
            (1..=rows[0].cells.len()).map(|n| format!("column {n}")).collect()
        };
        FactTable {
            document,
            heads,
            rows,
        }
    });
    read.collect()
}

impl FactTable<'_> {
    fn answer(&self, question: &Question, terms: &QueryTerms) -> Option<TableAnswer> {
        let first = self.rows.first()?.passage;
        let place = format!(
            "{} {} {} {}",
            first.title,
            first.heading.as_deref().unwrap_or(""),
            first.doc,
            first.date.as_deref().unwrap_or("")
        );
        let mut qualities: Vec<f32> = terms
            .qualities(&WordForms::of(&place), &[])
            .iter()
            .map(|quality| quality * BY_PLACE)
            .collect();
        let heads: Vec<Vec<f32>> = (0..self.heads.len())
            .map(|column| self.head_qualities(terms, column))
            .collect();
        let (operation, operation_words) = operation(question);
        let chosen = self.chosen_rows(terms, &heads, &qualities);
        let names_table = qualities.iter().any(|quality| *quality > 0.0);
        for (idx, term) in terms.entries().iter().enumerate() {
            if operation_words.contains(&term.word) || chosen.terms.contains(&idx) {
                qualities[idx] = 1.0;
            }
        }
        let target = self.target(terms, &heads, &chosen, operation);
        for (column, head) in heads.iter().enumerate() {
            let worth = if Some(column) == target || chosen.columns.contains(&column) {
                BY_HEAD
            } else {
                0.6
            };
            for (quality, by_head) in qualities.iter_mut().zip(head) {
                *quality = quality.max(by_head * worth);
            }
        }
        let share = terms.share(&qualities);
        let is_chosen = chosen.terms.iter().any(|idx| terms.entries()[*idx].is_required);
        let is_column = target.is_some_and(|column| heads[column].iter().any(|quality| *quality >= 0.9));
        let least = if names_table && is_column {
            LEAST_NAMED
        } else {
            LEAST
        };
        if share < least || !terms.holds_required(&qualities) {
            return None;
        }
        let is_meant = match (operation, &question.expected) {
            (Operation::Lookup, AnswerType::Explanation) => is_column,
            (Operation::Lookup, _) => true,
            _ => names_table || is_chosen,
        };
        if !is_meant {
            return None;
        }
        let mut answer = self.conclude(operation, &chosen, target, question)?;
        answer.share = share;
        Some(answer)
    }

    /// How well the head of a column speaks of each word, by its words and by its unit.
    fn head_qualities(&self, terms: &QueryTerms, column: usize) -> Vec<f32> {
        let head = &self.heads[column];
        let mut kinds: Vec<&str> = Vec::new();
        for word in super::text::words(&head.replace(['_', '-', '.'], " ")) {
            kinds.extend(super::lexicon::lexicon().unit(&word.lower).map(UnitClass::name));
        }
        terms.qualities(&WordForms::of_head(head), &kinds)
    }

    /// Rows that hold what the question names: one value per column is enough, and every such column must agree.
    fn chosen_rows(&self, terms: &QueryTerms, heads: &[Vec<f32>], place: &[f32]) -> ChosenRows {
        let mut by_column: Vec<Vec<usize>> = vec![Vec::new(); self.heads.len()];
        for (idx, term) in terms.entries().iter().enumerate() {
            let mut best: Option<(usize, f32)> = None;
            for (column, head) in heads.iter().enumerate() {
                let found = self
                    .rows
                    .iter()
                    .filter_map(|row| row.cells.get(column))
                    .map(|cell| cell_match(&term.word, cell, column == 0));
                let found = found.fold(0.0, f32::max);
                let is_number = term.word.chars().all(|c| c.is_ascii_digit());
                let is_plausible = !is_number || head.iter().any(|quality| *quality > 0.8);
                if found > 0.0 && is_plausible && best.is_none_or(|(_, worth)| found > worth) {
                    best = Some((column, found));
                }
            }
            let is_unit = super::lexicon::lexicon().unit(&term.word).is_some();
            let is_place = place[idx] > 0.0 && !term.is_required;
            if let Some((column, worth)) = best
                && (worth >= 0.9 || term.is_required)
                && !is_unit
                && !is_place
            {
                by_column[column].push(idx);
            }
        }
        let holds = |row: &Row<'_>, column: usize| {
            let cell = row.cells.get(column).copied().unwrap_or("");
            let wanted = by_column[column].iter();
            wanted
                .filter(|idx| cell_match(&terms.entries()[**idx].word, cell, column == 0) > 0.0)
                .count()
        };
        let mut columns: Vec<usize> = (0..self.heads.len())
            .filter(|column| !by_column[*column].is_empty())
            .collect();
        let mut rows: Vec<usize> = Vec::new();
        while !columns.is_empty() {
            let fits = |row: &Row<'_>| columns.iter().all(|column| holds(row, *column) > 0);
            rows = (0..self.rows.len())
                .filter(|idx| fits(&self.rows[*idx]))
                .collect();
            if !rows.is_empty() {
                break;
            }
            columns.pop();
        }
        if columns.is_empty() {
            rows = (0..self.rows.len()).collect();
        }
        // "Opsgenie contract": a row that holds more of the words of one cell is meant.
        let most = rows
            .iter()
            .map(|idx| {
                columns
                    .iter()
                    .map(|column| holds(&self.rows[*idx], *column))
                    .sum::<usize>()
            })
            .max()
            .unwrap_or(0);
        let is_alternative = columns.iter().any(|column| {
            let words = by_column[*column].len();
            words > 1 && rows.iter().all(|idx| holds(&self.rows[*idx], *column) < words)
        });
        if !is_alternative {
            rows.retain(|idx| {
                columns
                    .iter()
                    .map(|column| holds(&self.rows[*idx], *column))
                    .sum::<usize>()
                    == most
            });
        }
        let terms = columns
            .iter()
            .flat_map(|column| by_column[*column].clone())
            .collect();
        ChosenRows {
            rows,
            columns,
            terms,
            is_alternative,
        }
    }

    /// The column that is asked for.
    fn target(
        &self,
        terms: &QueryTerms,
        heads: &[Vec<f32>],
        chosen: &ChosenRows,
        operation: Operation,
    ) -> Option<usize> {
        let wants_number = matches!(
            operation,
            Operation::Largest | Operation::Smallest | Operation::Sum | Operation::Average
        );
        let is_numeric = |column: usize| {
            let cells = self
                .rows
                .iter()
                .filter_map(|row| row.cells.get(column))
                .filter(|cell| !cell.is_empty());
            let (mut n_cells, mut n_numbers) = (0, 0);
            for cell in cells {
                n_cells += 1;
                n_numbers += usize::from(number(cell).is_some());
            }
            n_cells > 0 && n_numbers * 10 >= n_cells * 8
        };
        let mut best: Option<(usize, f32)> = None;
        for (column, head) in heads.iter().enumerate() {
            if chosen.columns.contains(&column) || wants_number && !is_numeric(column) {
                continue;
            }
            let own: Vec<f32> = head
                .iter()
                .enumerate()
                .map(|(idx, quality)| {
                    if chosen.terms.contains(&idx) {
                        0.0
                    } else {
                        *quality
                    }
                })
                .collect();
            let share = terms.share(&own);
            if share > 0.0 && best.is_none_or(|(_, worth)| share > worth) {
                best = Some((column, share));
            }
        }
        best.map(|(column, _)| column)
    }
}

/// The rows that a question is about.
struct ChosenRows {
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// The words that chose them.
    terms: Vec<usize>,
    /// The question names several values of one column: "A or B".
    is_alternative: bool,
}
