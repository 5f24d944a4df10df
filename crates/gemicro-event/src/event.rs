//! An event in its stream.
//!
//! [`Event`] is the envelope of an update: it adds the stream, the gap-free sequence number, the schema version and
//! the origin. Unknown fields of a newer writer are kept in their order.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{AgentUpdate, Json, StepKey, StreamId, Timestamp};

/// The envelope version that this program writes; it is omitted on the wire.
pub const SCHEMA_VERSION: u32 = 1;

/// One event of a stream, as stored, sent and exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The run or conversation it belongs to.
    pub stream: StreamId,
    /// Its number in the stream, from 1, without gaps.
    pub seq: u64,
    /// Version of the envelope.
    pub schema_version: u32,
    /// Type, message, time and details.
    pub update: AgentUpdate,
    /// The step that it belongs to.
    pub step: Option<StepKey>,
    /// The run that started this run.
    pub parent_run: Option<StreamId>,
    /// The trace that it belongs to, in W3C trace context format.
    pub trace: Option<String>,
    /// Envelope fields this version does not know.
    pub extra: Vec<(String, Json)>,
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("stream", &self.stream)?;
        map.serialize_entry("seq", &self.seq)?;
        if self.schema_version != SCHEMA_VERSION {
            map.serialize_entry("schema_version", &self.schema_version)?;
        }
        map.serialize_entry("event_type", &self.update.event_type)?;
        map.serialize_entry("message", &self.update.message)?;
        map.serialize_entry("timestamp", &self.update.timestamp)?;
        map.serialize_entry("data", &self.update.data)?;
        if let Some(step) = &self.step {
            map.serialize_entry("step", step)?;
        }
        if let Some(parent_run) = &self.parent_run {
            map.serialize_entry("parent_run", parent_run)?;
        }
        if let Some(trace) = &self.trace {
            map.serialize_entry("trace", trace)?;
        }
        for (key, value) in &self.extra {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}

/// Reads the fields by hand, because serde's `flatten` would re-encode the unknown ones.
struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event object with stream, seq, event_type, message, timestamp and data")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
        let (mut stream, mut seq, mut event_type, mut message) = (None, None, None, None);
        let (mut timestamp, mut data, mut step, mut parent_run, mut trace) = (None, None, None, None, None);
        let mut schema_version = SCHEMA_VERSION;
        let mut extra = Vec::new();
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
            }
            match key.as_str() {
                "stream" => stream = Some(map.next_value::<StreamId>()?),
                "seq" => seq = Some(map.next_value::<std::num::NonZeroU64>()?.get()),
                "schema_version" => schema_version = map.next_value()?,
                "event_type" => event_type = Some(map.next_value::<String>()?),
                "message" => message = Some(map.next_value::<String>()?),
                "timestamp" => timestamp = Some(map.next_value::<Timestamp>()?),
                "data" => data = Some(map.next_value::<Json>()?),
                "step" => step = map.next_value()?,
                "parent_run" => parent_run = map.next_value()?,
                "trace" => trace = map.next_value()?,
                _ => extra.push((key, map.next_value::<Json>()?)),
            }
        }
        let missing = A::Error::missing_field;
        Ok(Event {
            stream: stream.ok_or_else(|| missing("stream"))?,
            seq: seq.ok_or_else(|| missing("seq"))?,
            schema_version,
            update: AgentUpdate {
                event_type: event_type.ok_or_else(|| missing("event_type"))?,
                message: message.ok_or_else(|| missing("message"))?,
                timestamp: timestamp.ok_or_else(|| missing("timestamp"))?,
                data: data.ok_or_else(|| missing("data"))?,
            },
            step,
            parent_run,
            trace,
            extra,
        })
    }
}
