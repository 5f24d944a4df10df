//! Where a replay differs from its recording, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gemicro_core::drive::ReplayDifference;
use gemicro_event::Event;
use serde_json::Value;
use similar::{Algorithm, ChangeTag, capture_diff_slices, group_diff_ops};

/// Lines around a change that are shown.
const CONTEXT_LINES: usize = 2;

/// Says where a replay differs: the event, its step, and a line diff of each text that changed.
#[must_use]
pub fn describe_difference(difference: &ReplayDifference) -> String {
    match difference {
        ReplayDifference::Changed { recorded, replayed } => describe_change(recorded, replayed),
        ReplayDifference::Missing { recorded, wanted } => {
            let mut text = format!(
                "event {}: the recording has {}; this program does not do that here\n",
                recorded.seq,
                title(recorded)
            );
            if let Some(step) = wanted {
                let _ = writeln!(text, "it wants step {} ({}) instead", step.key, step.kind);
            }
            text
        }
        ReplayDifference::Continued { last_seq } => {
            format!("event {last_seq} is the last one of the recording; this program continues after it\n")
        }
    }
}

/// Says where a text differs, line by line.
#[must_use]
pub fn describe_text_difference(title: &str, recorded: &str, replayed: &str) -> String {
    let (before, after) = (recorded.to_owned(), replayed.to_owned());
    let diff = line_diff(Some(&before), Some(&after));
    format!("{title} differs (- recorded, + this program)\n{diff}")
}

fn describe_change(recorded: &Event, replayed: &Event) -> String {
    let mut text = format!("event {}: ", recorded.seq);
    if recorded.update.event_type != replayed.update.event_type || recorded.step != replayed.step {
        let _ = writeln!(
            text,
            "the recording has {}; this program has {}",
            title(recorded),
            title(replayed)
        );
        return text;
    }
    let _ = writeln!(text, "{} differs (- recorded, + this program)", title(recorded));
    let (then, now) = (fields_of(recorded), fields_of(replayed));
    for field in union(&then, &now) {
        let (before, after) = (then.get(field), now.get(field));
        if before != after {
            let _ = writeln!(text, "{field}:");
            text.push_str(&line_diff(before, after));
        }
    }
    text
}

fn title(event: &Event) -> String {
    match &event.step {
        Some(step) => format!("{} of step {step}", event.update.event_type),
        None => event.update.event_type.clone(),
    }
}

/// Every text and number of an event, by its place.
fn fields_of(event: &Event) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    flatten("", &event.update.data, &mut fields);
    fields
}

fn flatten(place: &str, value: &Value, fields: &mut BTreeMap<String, String>) {
    let below = |name: &str| match place {
        "" => name.to_owned(),
        place => format!("{place}.{name}"),
    };
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                flatten(&below(name), member, fields);
            }
        }
        Value::Array(items) => {
            for (idx, item) in items.iter().enumerate() {
                flatten(&below(&idx.to_string()), item, fields);
            }
        }
        Value::String(text) => {
            fields.insert(place.to_owned(), text.clone());
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            fields.insert(place.to_owned(), value.to_string());
        }
    }
}

fn union<'f>(
    then: &'f BTreeMap<String, String>,
    now: &'f BTreeMap<String, String>,
) -> impl Iterator<Item = &'f String> {
    then.keys()
        .chain(now.keys().filter(|field| !then.contains_key(*field)))
}

/// The changed lines, with those around them.
fn line_diff(before: Option<&String>, after: Option<&String>) -> String {
    let lines = |text: Option<&String>| -> Vec<String> {
        text.iter()
            .flat_map(|text| text.lines().map(str::to_owned))
            .collect()
    };
    let (before, after) = (lines(before), lines(after));
    let ops = capture_diff_slices(Algorithm::Myers, &before, &after);
    let mut diff = String::new();
    for (idx, group) in group_diff_ops(ops, CONTEXT_LINES).iter().enumerate() {
        if idx > 0 {
            diff.push_str("  …\n");
        }
        for change in group.iter().flat_map(|op| op.iter_changes(&before, &after)) {
            let mark = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let _ = writeln!(diff, "{mark} {}", change.value());
        }
    }
    diff
}
