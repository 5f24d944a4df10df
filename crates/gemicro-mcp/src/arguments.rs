//! Parses the arguments of a call strictly. An argument that is unknown, has the wrong type or is out of range is
//! rejected, and the error names it.

use gemicro_event::{ErrorKind, Failure};
use serde_json::{Map, Value};

/// Maximum length of a string in bytes: more than any agent accepts as input.
const MAX_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// The arguments of one call. Null counts as not given.
pub(crate) struct Arguments {
    given: Map<String, Value>,
}

impl Arguments {
    pub(crate) fn new(given: Option<Map<String, Value>>, known: &[&str]) -> Result<Self, Failure> {
        let mut given = given.unwrap_or_default();
        // Gemini CLI adds this to the schema of every tool, for its own use, and passes it on.
        given.remove("wait_for_previous");
        if let Some(unknown) = given.keys().find(|name| !known.contains(&name.as_str())) {
            let message = format!(
                "there is no parameter `{unknown}`; there are {}",
                known.join(", ")
            );
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        }
        given.retain(|_, value| !value.is_null());
        Ok(Self { given })
    }

    /// The raw value of an argument.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.given.get(name)
    }

    /// A required string that is not blank.
    pub(crate) fn required(&self, name: &str) -> Result<String, Failure> {
        let text = self
            .text(name)?
            .ok_or_else(|| wrong(name, "is missing or empty"))?;
        if text.trim().is_empty() {
            return Err(wrong(name, "is missing or empty"));
        }
        Ok(text)
    }

    /// An optional string; an empty one counts as not given.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        let text = match self.given.get(name) {
            None => return Ok(None),
            Some(Value::String(text)) => text,
            Some(_) => return Err(wrong(name, "must be a string")),
        };
        if text.len() > MAX_TEXT_BYTES {
            return Err(wrong(name, "is longer than 8 MiB"));
        }
        if text.contains('\0') {
            return Err(wrong(name, "contains a null character"));
        }
        Ok((!text.is_empty()).then(|| text.clone()))
    }

    /// One of a fixed set of strings.
    pub(crate) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, Failure> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let found = choices.iter().find(|(word, _)| *word == text);
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        match found {
            Some((_, choice)) => Ok(Some(*choice)),
            None => Err(wrong(name, &format!("must be one of {}", words.join(", ")))),
        }
    }

    /// A list of strings.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, Failure> {
        let refuse = || wrong(name, "must be a list of strings");
        match self.given.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(refuse))
                .collect(),
            Some(_) => Err(refuse()),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        match self.given.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(wrong(name, "must be true or false")),
        }
    }

    /// An integer within bounds. As in JSON Schema, `300.0` is an integer too.
    pub(crate) fn number(
        &self,
        name: &str,
        bounds: std::ops::RangeInclusive<u32>,
    ) -> Result<Option<u32>, Failure> {
        let Some(value) = self.given.get(name) else {
            return Ok(None);
        };
        let (least, most) = (*bounds.start(), *bounds.end());
        let number = value.as_f64().filter(|number| {
            number.fract() == 0.0 && *number >= f64::from(least) && *number <= f64::from(most)
        });
        // Nothing is lost: only whole numbers within the bounds are left.
        let number = number.map(|number| number as u32);
        match number {
            Some(number) => Ok(Some(number)),
            None => Err(wrong(
                name,
                &format!("must be a whole number from {least} to {most}"),
            )),
        }
    }
}

/// The failure for an invalid argument.
pub(crate) fn wrong(name: &str, why: &str) -> Failure {
    Failure::new(ErrorKind::InvalidInput, format!("`{name}` {why}"))
}
