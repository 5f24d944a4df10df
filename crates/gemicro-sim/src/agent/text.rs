//! Texts of a script, with fields that are filled in when the step is performed.
//!
//! `{{env:NAME}}` a variable, `{{arg:N}}` the Nth argument (from 1), `{{arg:last}}`, `{{arg:--flag}}` the value of a
//! flag (`--flag value` or `--flag=value`), `{{args}}` all arguments, `{{stdin}}` the input read so far, `{{cwd}}`,
//! `{{pid}}`; `{{json:FIELD}}` any of them, escaped for a JSON string. Missing values are empty.

use serde::{Deserialize, Serialize};

use super::script_stage::ScriptStage;

/// Text with `{{…}}` fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentText(String);

impl AgentText {
    pub(super) fn fill(&self, stage: &ScriptStage) -> String {
        let mut filled = String::new();
        let mut rest = self.0.as_str();
        while let Some((before, after)) = rest.split_once("{{") {
            filled.push_str(before);
            let Some((name, tail)) = after.split_once("}}") else {
                filled.push_str("{{");
                rest = after;
                continue;
            };
            filled.push_str(&value(name, stage));
            rest = tail;
        }
        filled.push_str(rest);
        filled
    }
}

impl TryFrom<String> for AgentText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        for (start, _) in text.match_indices("{{") {
            let after = &text[start + 2..];
            let name = after.split_once("}}").map(|(name, _)| name);
            if !name.is_some_and(is_known) {
                let shown = name.unwrap_or(after);
                return Err(format!(
                    "unknown field `{{{{{shown}}}}}`: expected env:NAME, arg:N, arg:last, arg:--flag, args, stdin, cwd, pid or json:FIELD"
                ));
            }
        }
        Ok(Self(text))
    }
}

impl From<AgentText> for String {
    fn from(text: AgentText) -> Self {
        text.0
    }
}

fn is_known(name: &str) -> bool {
    match name.split_once(':') {
        Some(("env" | "arg", what)) => !what.is_empty(),
        Some(("json", field)) => is_known(field),
        Some(_) => false,
        None => matches!(name, "args" | "stdin" | "cwd" | "pid"),
    }
}

fn value(name: &str, stage: &ScriptStage) -> String {
    match name.split_once(':') {
        Some(("json", field)) => {
            let quoted = serde_json::Value::String(value(field, stage)).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        }
        Some(("env", name)) => stage.environment.get(name).cloned().unwrap_or_default(),
        Some(("arg", what)) => argument(what, &stage.arguments).unwrap_or_default().to_owned(),
        _ => match name {
            "args" => stage.arguments.join(" "),
            "stdin" => stage.heard.clone(),
            "cwd" => std::env::current_dir()
                .map(|folder| folder.display().to_string())
                .unwrap_or_default(),
            _ => std::process::id().to_string(),
        },
    }
}

fn argument<'a>(what: &str, arguments: &'a [String]) -> Option<&'a str> {
    if what == "last" {
        return arguments.last().map(String::as_str);
    }
    if let Ok(number) = what.parse::<usize>() {
        return arguments.get(number.checked_sub(1)?).map(String::as_str);
    }
    arguments.iter().enumerate().find_map(|(idx, argument)| {
        if argument == what {
            return arguments.get(idx + 1).map(String::as_str);
        }
        argument.strip_prefix(what)?.strip_prefix('=')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_filled() {
        let mut stage = ScriptStage::example(&["-p", "a \"b\"", "--id=7", "--flag"]);
        stage.environment.insert("X".to_owned(), "y".to_owned());
        let cases = [
            ("{{env:X}}-{{env:Y}}", "y-"),
            ("{{arg:1}}{{arg:9}}{{arg:0}}", "-p"),
            ("{{arg:-p}}", "a \"b\""),
            ("{{arg:--id}} {{arg:--flag}}|", "7 |"),
            ("{\"p\":\"{{json:arg:-p}}\"}", "{\"p\":\"a \\\"b\\\"\"}"),
            ("{{arg:last}}", "--flag"),
            ("{\"a\":{\"b\":{}}}", "{\"a\":{\"b\":{}}}"),
        ];
        for (text, expected) in cases {
            assert_eq!(
                AgentText::try_from(text.to_owned()).unwrap().fill(&stage),
                expected
            );
        }
        for bad in ["{{nothing}}", "{{env:}}", "{{json:x}}", "{{pid"] {
            assert!(AgentText::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
