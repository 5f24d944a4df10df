//! Texts with fields and citations.
//!
//! Fields: `{{prompt}}` (the newest turn), `{{model}}`, `{{system}}`, `{{tool_result}}` (tool results in the newest
//! turn), `{{line:LABEL}}` (the rest of the first line that starts with LABEL, in the tool results, in the newest turn,
//! or else in earlier turns), `{{after:LABEL}}` (everything after that line), `{{between:START|END}}` (the text between
//! the first START and the next END, searched in the same places). Citations: `[[text|url]]` and `[[text|url|title]]`.
//! Both are checked when the file is read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::ModelCall;

/// Text with `{{…}}` fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TextTemplate(String);

/// A [`TextTemplate`] that may also contain citations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MarkedText(TextTemplate);

/// A cited part of a text. Offsets are in bytes, the end exclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedSpan {
    /// Byte offset at which it begins.
    pub start: usize,
    /// Byte offset after its end.
    pub end: usize,
    /// Address of the source page.
    pub url: String,
    /// Title shown to users.
    pub title: String,
}

impl TextTemplate {
    pub(crate) fn fill(&self, call: &ModelCall) -> String {
        fill(&self.0, call)
    }
}

impl MarkedText {
    pub(crate) fn fill(&self, call: &ModelCall) -> (String, Vec<CitedSpan>) {
        // Citations are extracted before fields are filled in, so that a prompt cannot add any.
        let mut text = String::new();
        let mut citations = Vec::new();
        for piece in marks(&self.0.0).unwrap_or_default() {
            let start = text.len();
            text.push_str(&fill(piece.text, call));
            if let Some((url, title)) = piece.source {
                citations.push(CitedSpan {
                    start,
                    end: text.len(),
                    url: fill(url, call),
                    title: fill(title, call),
                });
            }
        }
        (text, citations)
    }
}

/// Fills in the fields in every string of a JSON value. Unknown fields are left unchanged.
pub(crate) fn fill_json(value: &Value, call: &ModelCall) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, call)),
        Value::Array(items) => items.iter().map(|item| fill_json(item, call)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), fill_json(field, call)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Returns the rest of the first line that starts with the label, and everything after that line.
pub(crate) fn after_label<'t>(text: &'t str, label: &str) -> Option<(&'t str, &'t str)> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        offset += line.len();
        if let Some(rest) = line.trim_start().strip_prefix(label) {
            return Some((rest.trim(), &text[offset..]));
        }
    }
    None
}

enum Field<'t> {
    Prompt,
    Model,
    System,
    ToolResult,
    Line(&'t str),
    After(&'t str),
    Between(&'t str, &'t str),
}

fn field(name: &str) -> Option<Field<'_>> {
    match name.trim() {
        "prompt" => Some(Field::Prompt),
        "model" => Some(Field::Model),
        "system" => Some(Field::System),
        "tool_result" => Some(Field::ToolResult),
        other => match other.split_once(':') {
            Some(("line", label)) if !label.is_empty() => Some(Field::Line(label)),
            Some(("after", label)) if !label.is_empty() => Some(Field::After(label)),
            Some(("between", marks)) => match marks.split_once('|') {
                Some((start, end)) if !start.is_empty() && !end.is_empty() => {
                    Some(Field::Between(start, end))
                }
                Some(_) | None => None,
            },
            _ => None,
        },
    }
}

fn fill(text: &str, call: &ModelCall) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let known = after
            .split_once("}}")
            .and_then(|(name, tail)| Some((field(name)?, tail)));
        let Some((field, tail)) = known else {
            filled.push_str("{{");
            rest = after;
            continue;
        };
        match field {
            Field::Prompt => filled.push_str(&call.prompt),
            Field::Model => filled.push_str(&call.model),
            Field::System => filled.push_str(&call.system),
            Field::ToolResult => filled.push_str(&results(call)),
            Field::Line(label) => filled.push_str(split_label(call, label).map_or("", |(line, _)| line)),
            Field::After(label) => {
                filled.push_str(split_label(call, label).map_or("", |(_, tail)| tail.trim()))
            }
            Field::Between(start, end) => filled.push_str(between(call, start, end).unwrap_or_default()),
        }
        rest = tail;
    }
    filled.push_str(rest);
    filled
}

/// Finds a label, and returns the rest of its line and everything after it.
fn split_label<'c>(call: &'c ModelCall, label: &str) -> Option<(&'c str, &'c str)> {
    places(call).find_map(|text| after_label(text, label))
}

/// Returns the text between two markers.
fn between<'c>(call: &'c ModelCall, start: &str, end: &str) -> Option<&'c str> {
    places(call).find_map(|text| {
        let (_, rest) = text.split_once(start)?;
        rest.split_once(end).map(|(found, _)| found)
    })
}

/// The texts that fields search: tool results, the newest turn, earlier turns.
fn places(call: &ModelCall) -> impl Iterator<Item = &str> {
    let results = call.results.iter().map(|result| result.text.as_str());
    results.chain([call.prompt.as_str(), call.history.as_str()])
}

fn results(call: &ModelCall) -> String {
    let texts: Vec<&str> = call.results.iter().map(|result| result.text.as_str()).collect();
    texts.join("\n")
}

struct FieldPiece<'t> {
    text: &'t str,
    source: Option<(&'t str, &'t str)>,
}

fn marks(text: &str) -> Result<Vec<FieldPiece<'_>>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[[") {
        pieces.push(FieldPiece {
            text: before,
            source: None,
        });
        let Some((mark, tail)) = after.split_once("]]") else {
            return Err("`[[` without `]]`: expected [[text|url]] or [[text|url|title]]".to_owned());
        };
        let mut parts = mark.splitn(3, '|');
        let (Some(cited), Some(url)) = (parts.next(), parts.next()) else {
            return Err(format!(
                "`[[{mark}]]` has no URL: expected [[text|url]] or [[text|url|title]]"
            ));
        };
        pieces.push(FieldPiece {
            text: cited,
            source: Some((url, parts.next().unwrap_or(url))),
        });
        rest = tail;
    }
    pieces.push(FieldPiece {
        text: rest,
        source: None,
    });
    Ok(pieces)
}

impl TryFrom<String> for TextTemplate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        for (start, _) in text.match_indices("{{") {
            let name = text[start + 2..].split("}}").next().unwrap_or_default();
            if field(name).is_none() {
                return Err(format!(
                    "unknown field `{{{{{name}}}}}`: expected prompt, model, system, tool_result, line:LABEL, after:LABEL \
                     or between:START|END"
                ));
            }
        }
        Ok(Self(text))
    }
}

impl TryFrom<String> for MarkedText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        marks(&text)?;
        TextTemplate::try_from(text).map(Self)
    }
}

impl From<TextTemplate> for String {
    fn from(template: TextTemplate) -> Self {
        template.0
    }
}

impl From<MarkedText> for String {
    fn from(text: MarkedText) -> Self {
        text.0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::SimToolResult;

    fn filled(text: &str, call: &ModelCall) -> String {
        TextTemplate::try_from(text.to_owned()).unwrap().fill(call)
    }

    #[test]
    fn fields_look_in_results_then_in_the_turn_then_before() {
        let mut call = ModelCall {
            history: "Write `a.md`, and no other.\nOutput: old".to_owned(),
            prompt: "{\"output\":\"Output: 12\\nEnd: 0\"}".to_owned(),
            ..ModelCall::example()
        };
        assert_eq!(
            filled("{{between:Write `|`}} {{line:Output:}}", &call),
            "a.md old"
        );
        call.results = vec![SimToolResult {
            tool: "shell".to_owned(),
            text: "Output: 12\nEnd: 0".to_owned(),
        }];
        assert_eq!(filled("{{between:Write `|`}} {{line:Output:}}", &call), "a.md 12");
        assert_eq!(filled("<{{between:Write `|!}}{{between:no|`}}>", &call), "<>");
    }

    #[test]
    fn a_field_between_needs_both_marks() {
        for wrong in ["{{between:a}}", "{{between:|b}}", "{{between:a|}}"] {
            let error = TextTemplate::try_from(wrong.to_owned()).unwrap_err();
            assert!(error.contains("between:START|END"), "{error}");
        }
    }

    #[test]
    fn fields_and_marks_are_filled() {
        let call = ModelCall {
            prompt: "Do it.\nQuestion: who?\nline two".to_owned(),
            model: "m".to_owned(),
            ..ModelCall::example()
        };
        let text = MarkedText::try_from(
            "ä {{line:Question:}} [[été|https://a|A]]; [[x|u]] {{after:Question:}}".to_owned(),
        );
        let (text, citations) = text.unwrap().fill(&call);
        assert_eq!(text, "ä who? été; x line two");
        let cited: Vec<(&str, &str, &str)> = citations
            .iter()
            .map(|citation| {
                (
                    &text[citation.start..citation.end],
                    citation.url.as_str(),
                    citation.title.as_str(),
                )
            })
            .collect();
        assert_eq!(cited, [("été", "https://a", "A"), ("x", "u", "u")]);
    }

    #[test]
    fn a_prompt_cannot_bring_fields_or_marks() {
        let call = ModelCall {
            prompt: "[[x|u]] {{model}}".to_owned(),
            ..ModelCall::example()
        };
        let text = MarkedText::try_from("{{prompt}}".to_owned()).unwrap();
        assert_eq!(text.fill(&call), ("[[x|u]] {{model}}".to_owned(), Vec::new()));
    }
}
