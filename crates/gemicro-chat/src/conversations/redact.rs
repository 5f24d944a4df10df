//! Redacts secrets in stored turns, before they become JSON: an escape in front of a key would hide it.

use std::borrow::Cow;

use gemicro_core::history::Turn;
use gemicro_event::redact::Redactor;
use serde_json::Value;

/// The turn without secrets; borrowed if it has none.
pub(super) fn clean_turn<'t>(redactor: &Redactor, turn: &'t Turn) -> Cow<'t, Turn> {
    let mut clean = turn.clone();
    clean.text = redactor.redact(&turn.text).into_owned();
    for call in &mut clean.calls {
        clean_value(redactor, &mut call.args);
    }
    if clean == *turn {
        Cow::Borrowed(turn)
    } else {
        Cow::Owned(clean)
    }
}

/// The depth of parsed JSON is limited, so the recursion is too.
fn clean_value(redactor: &Redactor, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = redactor.redact(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| clean_value(redactor, item)),
        Value::Object(fields) => fields
            .iter_mut()
            .for_each(|(_, field)| clean_value(redactor, field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
