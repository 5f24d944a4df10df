//! Good files are read back whole; bad ones give plain errors.

use std::io::Cursor;

use flate2::{Compress, FlushCompress};
use gemicro_event::{AgentUpdate, Json, StepKey, Timestamp};

use super::*;

fn event(stream: &StreamId, seq: u64, event_type: &str) -> Event {
    Event {
        stream: stream.clone(),
        seq,
        schema_version: 1,
        update: AgentUpdate {
            event_type: event_type.to_owned(),
            message: "said".to_owned(),
            timestamp: Timestamp::from_millis(1_000),
            data: Json::from_text(r#"{"b":1.50,"a":"é"}"#).unwrap(),
        },
        step: Some(StepKey::new("one")),
        parent_run: None,
        trace: None,
        extra: vec![("later".to_owned(), Json::from_text("[1]").unwrap())],
    }
}

fn sample() -> Recording {
    let id = StreamId::random();
    Recording {
        header: RecordingHeader {
            recording: "gemicro".to_owned(),
            version: FORMAT_VERSION,
            program: "gemicro 0".to_owned(),
            kind: "research".to_owned(),
            root: id.clone(),
            max_prompt_tokens: None,
        },
        streams: vec![RecordedStream {
            id: id.clone(),
            kind: StreamKind::Run,
            events: vec![event(&id, 1, "run_started"), event(&id, 2, "of_a_newer_program")],
        }],
        blobs: vec![
            RecordedBlob {
                stream: id.clone(),
                bytes: b"text".to_vec(),
            },
            RecordedBlob {
                stream: id.clone(),
                bytes: vec![0xff, 0x00, 0x80],
            },
        ],
        live: vec![LiveDelta {
            run: id,
            step: StepKey::new("one"),
            attempt: 1,
            at: Timestamp::from_millis(1_001),
            text: "a piece".to_owned(),
        }],
    }
}

fn packed(lines: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(lines.as_bytes()).unwrap();
    out.finish().unwrap()
}

fn error_of(bytes: &[u8]) -> String {
    read_lines(Cursor::new(bytes), "x.recording".to_owned())
        .unwrap_err()
        .to_string()
}

#[test]
fn what_is_written_is_read_back_and_unknown_events_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (path, recording) = (folder.path().join("run.recording"), sample());
    write_file(&recording, &path).unwrap();
    assert_eq!(read_file(&path).unwrap(), recording);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_was_cut_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.recording");
    write_file(&sample(), &path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        let error = error_of(&whole[..length]);
        assert!(
            error.contains("not complete") || error.contains("not a gemicro recording"),
            "{length}: {error}"
        );
    }
}

#[test]
fn every_other_bad_file_says_what_is_wrong_with_it() {
    let header = r#"{"recording":"gemicro","version":1,"program":"p","kind":"k","root":"aaaaaaaa"}"#;
    let newer = header.replace("\"version\":1", "\"version\":2");
    let other = header.replace("gemicro", "other");
    let cases = [
        (b"garbage".to_vec(), "is not a gemicro recording"),
        (packed("{}\n"), "missing field `recording`"),
        (packed(&format!("{other}\n")), "names another program"),
        (
            packed(&format!("{newer}\n")),
            "reads formats up to 1. Update gemicro",
        ),
        (packed(&format!("{header}\n")), "not complete"),
        (packed(&format!("{header}\n{{\"odd\":1}}\n")), "damaged at line 2"),
        (
            packed(&format!("{header}\n{{\"end\":{{\"n_lines\":7}}}}\n")),
            "lines are missing",
        ),
        (
            packed(&format!("{header}\n{{\"end\":{{\"n_lines\":1}}}}\n")),
            "the recorded run is not in it",
        ),
    ];
    for (bytes, expected) in cases {
        let error = error_of(&bytes);
        assert!(error.contains(expected), "{error}");
    }
}

/// Ten megabytes that unpack to ten gigabytes of good lines, in one gzip stream.
#[test]
fn a_bomb_of_good_lines_needs_little_memory() {
    let header = r#"{"recording":"gemicro","version":1,"program":"p","kind":"k","root":"aaaaaaaa"}"#;
    let text = " ".repeat((1 << 20) - 100);
    let line = format!(
        "{{\"live\":{{\"run\":\"aaaaaaaa\",\"step\":\"s\",\"attempt\":1,\"at\":\"2026-01-01T00:00:00.000Z\",\"text\":\"{text}\"}}}}\n"
    );
    let mut compress = Compress::new(Compression::best(), false);
    let mut block_of = |text: &str| {
        let mut block = Vec::with_capacity(64 << 10);
        compress
            .compress_vec(text.as_bytes(), &mut block, FlushCompress::Full)
            .unwrap();
        block
    };
    // A flushed block does not refer to those before it, so it can be repeated.
    let (first, block) = (block_of(&format!("{header}\n")), block_of(&line));
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    bytes.extend(first);
    for _ in 0..10_240 {
        bytes.extend_from_slice(&block);
    }
    assert!(bytes.len() < 32 << 20, "{} bytes", bytes.len());
    let before = peak_memory();
    assert!(error_of(&bytes).contains("too large"));
    let more = peak_memory() - before;
    // Other tests of this process need some, too.
    assert!(more < 256 << 10, "{more} KiB more than before");
}

/// The most memory that this process had so far, in KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_small_file_that_unpacks_to_too_much_is_refused() {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..=64 {
        out.write_all(&blanks).unwrap();
    }
    let bytes = out.finish().unwrap();
    assert!(bytes.len() < 16 << 20);
    assert!(error_of(&bytes).contains("too large"));
}
