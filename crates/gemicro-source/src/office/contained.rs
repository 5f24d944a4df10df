//! The child process that reads one document: [`read_contained`].
//!
//! The kernel enforces the limits, because a parser cannot: an endless loop, an endless allocation or a panic ends only
//! this process, so only this document is lost.

use std::io::Read;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::read::{OfficeText, read_office};
use crate::limits::ReadLimits;

/// Maximum CPU time for one document, in seconds.
pub(super) const MAX_CPU_SECONDS: u64 = 10;
/// Maximum address space for one document, in bytes.
pub(super) const MAX_MEMORY: u64 = 512 << 20;

/// The child's answer to its parent: the texts, or why there are none.
pub(super) type ReaderAnswer = Result<OfficeText, String>;

/// Reads the document on `input` under the limits and returns the bytes for the parent. `name` is its file name.
///
/// The limits then apply to the whole process, so the process must do nothing else.
pub fn read_contained(name: &str, input: impl Read) -> Vec<u8> {
    let answer = limit_process().and_then(|()| read(name, input));
    serde_json::to_vec(&answer).expect("strings and numbers in memory always serialise")
}

fn read(name: &str, input: impl Read) -> ReaderAnswer {
    let limit = ReadLimits::default().max_office_bytes;
    let mut bytes = Vec::new();
    let mut input = input.take(limit + 1);
    input
        .read_to_end(&mut bytes)
        .map_err(|error| crate::walk::os_reason(&error))?;
    if bytes.len() as u64 > limit {
        return Err(crate::limits::larger_than(limit));
    }
    read_office(name, bytes).map_err(|error| error.to_string())
}

fn limit_process() -> Result<(), String> {
    let limits = [
        (Resource::Core, 0),
        (Resource::Cpu, MAX_CPU_SECONDS),
        (Resource::As, MAX_MEMORY),
    ];
    for (resource, most) in limits {
        // A process may only lower its limits.
        let most = getrlimit(resource).maximum.map_or(most, |now| now.min(most));
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit)
            .map_err(|error| format!("cannot set the resource limits of the reader: {error}"))?;
    }
    Ok(())
}
