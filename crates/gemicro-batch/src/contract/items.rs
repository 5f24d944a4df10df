//! The tasks of an answer.
//!
//! The main type is [`Items`], which derefs to a slice of [`ItemAnswer`]. Results that come from a board stay JSON text
//! until someone looks at them and are serialized unchanged, so large answers are passed on without parsing.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use gemicro_event::{ErrorKind, Json};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::answer::{ItemAnswer, ItemState};

/// The answer for each task, in submission order.
#[derive(Clone)]
pub struct Items {
    /// The JSON from the board; `None` if the items were made in memory.
    shown: Option<Box<RawValue>>,
    /// The parsed items; filled on first access.
    read: OnceLock<Vec<ItemAnswer>>,
}

impl Items {
    /// Wraps the JSON array of answers from a board. An unreadable element becomes a failed task with the reason.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn of_board(shown: String) -> Result<Self, serde_json::Error> {
        Ok(Self {
            shown: Some(RawValue::from_string(shown)?),
            read: OnceLock::new(),
        })
    }
}

impl Deref for Items {
    type Target = [ItemAnswer];

    fn deref(&self) -> &[ItemAnswer] {
        self.read
            .get_or_init(|| self.shown.as_deref().map(read).unwrap_or_default())
    }
}

impl From<Vec<ItemAnswer>> for Items {
    fn from(items: Vec<ItemAnswer>) -> Self {
        Self {
            shown: None,
            read: OnceLock::from(items),
        }
    }
}

impl IntoIterator for Items {
    type Item = ItemAnswer;
    type IntoIter = std::vec::IntoIter<ItemAnswer>;

    fn into_iter(self) -> Self::IntoIter {
        let Self { shown, read: known } = self;
        let items = known.into_inner();
        let items = items.unwrap_or_else(|| shown.as_deref().map(read).unwrap_or_default());
        items.into_iter()
    }
}

impl<'a> IntoIterator for &'a Items {
    type Item = &'a ItemAnswer;
    type IntoIter = std::slice::Iter<'a, ItemAnswer>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Items {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Items {}

impl fmt::Debug for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl Serialize for Items {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.shown {
            Some(shown) => shown.serialize(serializer),
            None => (**self).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

fn read(shown: &RawValue) -> Vec<ItemAnswer> {
    let lines: Vec<&RawValue> = serde_json::from_str(shown.get()).unwrap_or_default();
    let item = |line: &RawValue| serde_json::from_str(line.get()).unwrap_or_else(unreadable);
    lines.into_iter().map(item).collect()
}

fn unreadable(error: serde_json::Error) -> ItemAnswer {
    let state = ItemState::Failed;
    ItemAnswer {
        task_id: String::new(),
        status: state.status(),
        output: Json::empty(),
        error: Some(format!(
            "this line of the board cannot be read ({error}): gemicro store rebuild writes it again"
        )),
        state,
        error_kind: Some(ErrorKind::StorageError),
        question: None,
    }
}
