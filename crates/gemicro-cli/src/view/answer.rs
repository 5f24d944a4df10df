//! The result of a run: framed on a terminal, plain Markdown elsewhere, or one JSON object.

use gemicro_core::research::RelatedPassage;
use gemicro_core::research::events::{FinalResult, ResultMetadata};
use gemicro_event::{Event, Json, StreamId};
use serde_json::{Map, Value, json};

use super::{RunEnd, RunView};
use crate::args::PrintFormat;
use crate::command_error::{CommandError, ErrorReport};
use crate::output::{self, CommandOutput};
use crate::screen::{Screen, numbers, text};

/// Prints the result when the run ends.
pub(crate) struct AnswerView {
    run: StreamId,
    format: PrintFormat,
    output: CommandOutput,
    screen: Screen,
}

impl AnswerView {
    pub(crate) fn new(run: StreamId, format: PrintFormat, output: CommandOutput, screen: &Screen) -> Self {
        Self {
            run,
            format,
            output,
            screen: screen.clone(),
        }
    }

    fn print(&mut self, data: &Json, result: Option<&FinalResult>) -> Result<(), CommandError> {
        let is_framed =
            self.format == PrintFormat::Text && self.output.is_stdout() && self.screen.stdout_is_terminal;
        let printed = match (self.format, result) {
            (PrintFormat::Json | PrintFormat::Jsonl, _) => result_json(&self.run, data).to_string() + "\n",
            (PrintFormat::Text, Some(result)) if is_framed => frame_answer(result, &self.screen),
            (PrintFormat::Text | PrintFormat::Markdown, Some(result)) => answer_markdown(result) + "\n",
            (PrintFormat::Text | PrintFormat::Markdown, None) => {
                serde_json::to_string_pretty(&**data).unwrap_or_else(|_| data.text().to_owned()) + "\n"
            }
        };
        self.output.write(printed.as_bytes())?;
        if let (PrintFormat::Text, false, Some(result)) = (self.format, is_framed, result) {
            output::say(&stats_line(&result.metadata));
            if let Some(partial) = &result.partial {
                output::say(&format!("Partial: {}", text::one_line(partial)));
            }
        }
        self.output.finish()
    }
}

impl RunView for AnswerView {
    fn event(&mut self, _event: &Event) -> Result<(), CommandError> {
        Ok(())
    }

    fn end(&mut self, end: &RunEnd) -> Result<(), CommandError> {
        match end {
            RunEnd::Completed { data, result } => self.print(data, result.as_deref()),
            RunEnd::Failed(_) | RunEnd::Suspended(_) if self.format == PrintFormat::Json => {
                let object = failure_json(&end.error_report(&self.run));
                self.output.write(format!("{object}\n").as_bytes())?;
                self.output.finish()
            }
            RunEnd::Failed(failure) if self.format != PrintFormat::Jsonl => {
                let related = RelatedPassage::closest(&RelatedPassage::of_failure(failure));
                if !related.is_empty() {
                    self.output.write(text::neutral(&related).as_bytes())?;
                    self.output.finish()?;
                }
                Ok(())
            }
            RunEnd::Failed(_) | RunEnd::Suspended(_) => Ok(()),
        }
    }
}

/// The answer's Markdown with other passages that come close, safe for a terminal.
pub(crate) fn answer_markdown(result: &FinalResult) -> String {
    text::neutral(&with_related(result)).into_owned()
}

fn with_related(result: &FinalResult) -> String {
    let answer = result.answer.trim_end();
    let related = RelatedPassage::beside_answer(&result.related);
    format!("{answer}\n\n{related}").trim_end().to_owned()
}

/// The result as one object, the run's id first.
pub(crate) fn result_json(run: &StreamId, data: &Json) -> Value {
    let mut object = Map::new();
    object.insert("run".to_owned(), json!(run));
    match &**data {
        Value::Object(fields) => {
            object.extend(fields.iter().map(|(key, value)| (key.clone(), value.clone())))
        }
        other => {
            object.insert("result".to_owned(), other.clone());
        }
    }
    Value::Object(object)
}

/// A failure as one object.
pub(crate) fn failure_json(report: &ErrorReport) -> Value {
    let mut object = json!({
        "run": report.run,
        "error_kind": report.failure.kind,
        "error": report.failure.message,
        "hint": report.hint(),
    });
    let related = RelatedPassage::of_failure(&report.failure);
    if !related.is_empty() {
        object["related"] = json!(related);
    }
    object
}

/// `Stats: 4/5 sub-queries succeeded | 1,247 total tokens | 23.4s`.
pub(crate) fn stats_line(metadata: &ResultMetadata) -> String {
    let n_asked = metadata.sub_queries_succeeded + metadata.sub_queries_failed;
    let noun = if n_asked == 1 { "sub-query" } else { "sub-queries" };
    let cost = match metadata.charge().money_in_words() {
        Some(money) => format!(" | {money}"),
        // Results of older versions do not name the model.
        None if metadata.unpriced => " | price unknown".to_owned(),
        None => String::new(),
    };
    let bound = if metadata.uncertain.tokens > 0 {
        "up to "
    } else {
        ""
    };
    format!(
        "Stats: {}/{n_asked} {noun} succeeded | {bound}{} total tokens{cost} | {}",
        metadata.sub_queries_succeeded,
        numbers::thousands(metadata.total_tokens),
        numbers::duration(metadata.duration_ms)
    )
}

fn frame_answer(result: &FinalResult, screen: &Screen) -> String {
    let columns = screen.width();
    let paint = screen.on_stdout();
    let answer = text::wrap_markdown(&with_related(result), columns);
    let partial = result.partial.as_ref();
    let partial = partial.map_or_else(String::new, |why| format!("Partial: {}\n", text::one_line(why)));
    format!(
        "\n{double}\n{}\n\n{answer}\n\n{}\n{partial}{}\n{double}\n",
        paint.strong("ANSWER:"),
        "─".repeat(columns),
        stats_line(&result.metadata),
        double = "═".repeat(columns),
    )
}
