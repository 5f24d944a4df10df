//! Prints every step's input and raw output, for `show --raw`.

use std::fmt::Write as _;

use gemicro_core::run::events::RunReaders;
use gemicro_event::{Event, Json};

use crate::command_error::CommandError;
use crate::output;
use crate::screen::{Paint, numbers, text};
use crate::view::{RunEnd, RunView};

/// Fields of a step with text for or from a model, which are printed as plain text.
const TEXTS: [&str; 3] = ["system", "prompt", "text"];

/// Prints steps as they arrive.
pub(crate) struct RawView {
    paint: Paint,
}

impl RawView {
    pub(crate) fn new(paint: Paint) -> Self {
        Self { paint }
    }

    fn part(&self, title: &str, event: &Event, json: &Json) -> String {
        let head = format!("── {title} · {} ", numbers::moment(event.update.timestamp));
        format!("{}\n{}\n", self.paint.strong(&text::one_line(&head)), body(json))
    }
}

impl RunView for RawView {
    fn event(&mut self, event: &Event) -> Result<(), CommandError> {
        let update = &event.update;
        let part = match update.event_type.as_str() {
            "step_started" => update.as_step_started().map(|it| {
                self.part(
                    &format!("{} · attempt {} · input", it.step, it.attempt),
                    event,
                    &it.input,
                )
            }),
            "step_completed" => update.as_step_completed().map(|it| {
                self.part(
                    &format!("{} · attempt {} · output", it.step, it.attempt),
                    event,
                    &it.output,
                )
            }),
            "step_failed" | "step_retrying" | "step_lost" | "step_handle" => {
                let title = event.step.as_ref().map_or("a step", |step| step.as_str());
                Some(self.part(&format!("{title} · {}", update.event_type), event, &update.data))
            }
            _ => None,
        };
        match part {
            Some(part) => output::print(&part),
            None => Ok(()),
        }
    }

    fn end(&mut self, _end: &RunEnd) -> Result<(), CommandError> {
        Ok(())
    }
}

fn body(json: &Json) -> String {
    let mut value = (**json).clone();
    let mut texts = String::new();
    if let Some(fields) = value.as_object_mut() {
        for name in TEXTS {
            if let Some(serde_json::Value::String(words)) = fields.get(name) {
                let indented = text::neutral(words).replace('\n', "\n  ");
                let _ = writeln!(texts, "{name}:\n  {indented}");
                fields.shift_remove(name);
            }
        }
    }
    // JSON escapes control characters, but not those that reverse the reading direction.
    let rest = serde_json::to_string_pretty(&value).unwrap_or_else(|_| json.text().to_owned());
    texts + &text::neutral(&rest)
}
