//! The file: JSON lines, compressed with gzip.
//!
//! The first line is the header, the last one counts the lines before it, so that a cut file is noticed. Reading is
//! bounded: a small file that unpacks to more than [`MAX_BYTES`], or to a line of [`MAX_LINE_BYTES`], is an error.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use gemicro_core::store::StreamKind;
use gemicro_event::{ErrorKind, Event, Failure, StreamId};
use serde::{Deserialize, Serialize};

use crate::recording::{FORMAT_VERSION, LiveDelta, RecordedBlob, RecordedStream, Recording, RecordingHeader};

/// The most bytes that a recording may have, unpacked.
const MAX_BYTES: u64 = 1 << 30;
/// The most bytes that one line may have.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// Why a file is not a recording that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum RecordingFileError {
    #[error("{path} cannot be read or written: {error}")]
    Io { path: String, error: std::io::Error },
    #[error(
        "{path} is not a gemicro recording ({message}); `gemicro export RUN --recording FILE` writes one"
    )]
    NotARecording { path: String, message: String },
    #[error(
        "{path} was recorded by {program} in format {found}; this program reads formats up to {FORMAT_VERSION}. Update gemicro"
    )]
    Newer {
        path: String,
        program: String,
        found: u32,
    },
    #[error("{path} is damaged at line {line}: {message}. Copy it again, or record the run again")]
    Damaged {
        path: String,
        line: u64,
        message: String,
    },
    #[error("{path} is not complete: it ends before its last line. Copy it again, or record the run again")]
    Truncated { path: String },
    #[error("{path} is too large: a recording has at most 1 GiB unpacked, and 64 MiB per line")]
    TooLarge { path: String },
}

impl From<RecordingFileError> for Failure {
    fn from(error: RecordingFileError) -> Self {
        Self::new(ErrorKind::InvalidInput, error.to_string())
    }
}

/// A line after the header.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordingLine {
    Stream {
        id: StreamId,
        kind: StreamKind,
    },
    Event(Event),
    Blob {
        stream: StreamId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Bytes that are no text, in hexadecimal digits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hex: Option<String>,
    },
    Live(LiveDelta),
    End {
        n_lines: u64,
    },
}

/// Writes a recording; a file that is there is replaced when the new one is complete.
///
/// # Errors
/// When the file cannot be written, or the recording is too large.
pub fn write_file(recording: &Recording, path: &Path) -> Result<(), RecordingFileError> {
    let io = |error| RecordingFileError::Io {
        path: path.display().to_string(),
        error,
    };
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let file = File::create(&partial).map_err(io)?;
    let written = write_lines(
        recording,
        GzEncoder::new(BufWriter::new(file), Compression::best()),
    );
    match written.map_err(io) {
        Ok(n_bytes) if n_bytes <= MAX_BYTES => std::fs::rename(&partial, path).map_err(io),
        failed => {
            let _ = std::fs::remove_file(&partial);
            failed.and(Err(RecordingFileError::TooLarge {
                path: path.display().to_string(),
            }))
        }
    }
}

fn write_lines(recording: &Recording, out: GzEncoder<BufWriter<File>>) -> std::io::Result<u64> {
    let mut out = RecordingWriter {
        out,
        n_lines: 0,
        n_bytes: 0,
    };
    out.line(&recording.header)?;
    for stream in &recording.streams {
        out.line(&RecordingLine::Stream {
            id: stream.id.clone(),
            kind: stream.kind,
        })?;
        for event in &stream.events {
            out.line(&RecordingLine::Event(event.clone()))?;
        }
    }
    for blob in &recording.blobs {
        let text = std::str::from_utf8(&blob.bytes).ok().map(str::to_owned);
        let hex = text
            .is_none()
            .then(|| blob.bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        let stream = blob.stream.clone();
        out.line(&RecordingLine::Blob { stream, text, hex })?;
    }
    for delta in &recording.live {
        out.line(&RecordingLine::Live(delta.clone()))?;
    }
    let n_lines = out.n_lines;
    out.line(&RecordingLine::End { n_lines })?;
    let n_bytes = out.n_bytes;
    out.out.finish()?.into_inner()?.sync_all()?;
    Ok(n_bytes)
}

struct RecordingWriter {
    out: GzEncoder<BufWriter<File>>,
    n_lines: u64,
    n_bytes: u64,
}

impl RecordingWriter {
    fn line(&mut self, value: &impl Serialize) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.n_lines += 1;
        self.n_bytes += match line.len() as u64 {
            // It could not be read back.
            n_bytes if n_bytes >= MAX_LINE_BYTES => MAX_BYTES + 1,
            n_bytes => n_bytes,
        };
        self.out.write_all(&line)
    }
}

/// Reads a recording.
///
/// # Errors
/// When the file is missing, cut, damaged, too large, or no recording that this program reads.
pub fn read_file(path: &Path) -> Result<Recording, RecordingFileError> {
    let shown = path.display().to_string();
    let file = File::open(path).map_err(|error| RecordingFileError::Io {
        path: shown.clone(),
        error,
    })?;
    read_lines(BufReader::new(file), shown)
}

/// Unpacks everything once without keeping it, so that a file that unpacks to too much needs no memory.
fn check_size(packed: &mut (impl BufRead + Seek), path: &str) -> Result<(), RecordingFileError> {
    let mut unpacked = GzDecoder::new(&mut *packed).take(MAX_BYTES + 1);
    // A damaged file ends here early; the reader of its lines says where.
    let _ = std::io::copy(&mut unpacked, &mut std::io::sink());
    let (is_too_large, path) = (unpacked.limit() == 0, path.to_owned());
    match packed.rewind() {
        Ok(()) if is_too_large => Err(RecordingFileError::TooLarge { path }),
        Ok(()) => Ok(()),
        Err(error) => Err(RecordingFileError::Io { path, error }),
    }
}

fn read_lines(mut packed: impl BufRead + Seek, path: String) -> Result<Recording, RecordingFileError> {
    check_size(&mut packed, &path)?;
    let mut lines = RecordingReader {
        lines: BufReader::new(GzDecoder::new(packed)),
        path,
        n_lines: 0,
        text: String::new(),
    };
    let header = lines.header()?;
    let mut recording = Recording {
        header,
        streams: Vec::new(),
        blobs: Vec::new(),
        live: Vec::new(),
    };
    loop {
        let n_before = lines.n_lines;
        match lines.next()? {
            RecordingLine::Stream { id, kind } => recording.streams.push(RecordedStream {
                id,
                kind,
                events: Vec::new(),
            }),
            RecordingLine::Event(event) => {
                let stream = recording.streams.last_mut();
                let stream = stream.filter(|stream| {
                    stream.id == event.stream && stream.events.len() as u64 + 1 == event.seq
                });
                let Some(stream) = stream else {
                    return Err(lines.damage_error("an event is not at its place"));
                };
                stream.events.push(event);
            }
            RecordingLine::Blob { stream, text, hex } => {
                let bytes = text.map(String::into_bytes).or_else(|| from_hex(&hex?));
                let Some(bytes) = bytes else {
                    return Err(lines.damage_error("a blob has no contents"));
                };
                recording.blobs.push(RecordedBlob { stream, bytes });
            }
            RecordingLine::Live(delta) => recording.live.push(delta),
            RecordingLine::End { n_lines } if n_lines == n_before => {
                lines.check_end()?;
                break;
            }
            RecordingLine::End { .. } => return Err(lines.damage_error("lines are missing before its end")),
        }
    }
    match recording.root().is_some() {
        true => Ok(recording),
        false => Err(lines.damage_error("the recorded run is not in it")),
    }
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

struct RecordingReader<R> {
    lines: R,
    path: String,
    n_lines: u64,
    text: String,
}

impl<R: BufRead> RecordingReader<R> {
    fn header(&mut self) -> Result<RecordingHeader, RecordingFileError> {
        let not_a_recording = |path: &str, message: String| RecordingFileError::NotARecording {
            path: path.to_owned(),
            message,
        };
        let read = self.read_line();
        let path = &self.path;
        match read {
            Ok(()) => {}
            Err(error @ RecordingFileError::TooLarge { .. }) => return Err(error),
            Err(error) => return Err(not_a_recording(path, cause(&error))),
        }
        let header: RecordingHeader =
            serde_json::from_str(&self.text).map_err(|error| not_a_recording(path, error.to_string()))?;
        if header.recording != "gemicro" {
            return Err(not_a_recording(
                path,
                "its first line names another program".to_owned(),
            ));
        }
        if header.version > FORMAT_VERSION {
            return Err(RecordingFileError::Newer {
                path: path.clone(),
                program: header.program,
                found: header.version,
            });
        }
        Ok(header)
    }

    fn next(&mut self) -> Result<RecordingLine, RecordingFileError> {
        self.read_line()?;
        serde_json::from_str(&self.text).map_err(|error| self.damage_error(&error.to_string()))
    }

    fn read_line(&mut self) -> Result<(), RecordingFileError> {
        self.text.clear();
        let path = || self.path.clone();
        match (&mut self.lines).take(MAX_LINE_BYTES).read_line(&mut self.text) {
            Ok(n_bytes) => {
                self.n_lines += 1;
                if n_bytes as u64 == MAX_LINE_BYTES {
                    return Err(RecordingFileError::TooLarge { path: path() });
                }
                match self.text.ends_with('\n') {
                    true => Ok(()),
                    false => Err(RecordingFileError::Truncated { path: path() }),
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(RecordingFileError::Truncated { path: path() })
            }
            Err(error) => Err(self.damage_error(&error.to_string())),
        }
    }

    /// Reads the check sum behind the last line.
    fn check_end(&mut self) -> Result<(), RecordingFileError> {
        self.text.clear();
        match self.lines.read_line(&mut self.text) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.damage_error("lines follow its end")),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(RecordingFileError::Truncated {
                    path: self.path.clone(),
                })
            }
            Err(error) => Err(self.damage_error(&error.to_string())),
        }
    }

    fn damage_error(&self, message: &str) -> RecordingFileError {
        RecordingFileError::Damaged {
            path: self.path.clone(),
            line: self.n_lines,
            message: message.to_owned(),
        }
    }
}

fn cause(error: &RecordingFileError) -> String {
    match error {
        RecordingFileError::Damaged { message, .. } => message.clone(),
        _ => "it ends in its first line".to_owned(),
    }
}

#[cfg(test)]
mod tests;
