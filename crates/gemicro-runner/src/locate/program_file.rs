//! Determines how the system would run a file, from its first bytes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Number of bytes that the kernel reads from the first line.
const MAX_FIRST_LINE: u64 = 256;

/// The kind of an executable file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProgramFile {
    /// A program for this machine.
    Native,
    /// A script for another program.
    Script(Interpreter),
    /// A program for another kind of machine.
    Foreign,
    Unknown,
}

/// The interpreter of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Interpreter {
    /// The program at this path.
    Path(String),
    /// The program of this name in the search path, through `env`.
    Name(String),
}

pub(super) fn look(path: &Path) -> std::io::Result<ProgramFile> {
    let mut start = Vec::new();
    File::open(path)?.take(MAX_FIRST_LINE).read_to_end(&mut start)?;
    Ok(match start.as_slice() {
        [b'#', b'!', line @ ..] => script(line),
        [0x7f, b'E', b'L', b'F', ..] => native(&start),
        _ => ProgramFile::Unknown,
    })
}

fn script(line: &[u8]) -> ProgramFile {
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    let Some(program) = words.next() else {
        return ProgramFile::Unknown;
    };
    if !program.ends_with("/env") {
        return ProgramFile::Script(Interpreter::Path(program.to_owned()));
    }
    // Options and variables precede the name.
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='));
    match name {
        Some(name) => ProgramFile::Script(Interpreter::Name(name.to_owned())),
        None => ProgramFile::Unknown,
    }
}

fn native(start: &[u8]) -> ProgramFile {
    let machine = match start.get(18..20) {
        Some([low, high]) if start.get(5) != Some(&2) => u16::from_le_bytes([*low, *high]),
        Some([high, low]) => u16::from_be_bytes([*high, *low]),
        _ => return ProgramFile::Unknown,
    };
    let ours: &[u16] = match std::env::consts::ARCH {
        "x86_64" => &[62, 3],
        "aarch64" => &[183, 40],
        "riscv64" => &[243],
        // An unknown machine: the kernel decides.
        _ => return ProgramFile::Native,
    };
    if ours.contains(&machine) {
        ProgramFile::Native
    } else {
        ProgramFile::Foreign
    }
}

#[cfg(test)]
mod tests {
    use super::{Interpreter, ProgramFile, look};

    #[test]
    fn files_are_what_they_begin_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let name = |name: &str| ProgramFile::Script(Interpreter::Name(name.to_owned()));
        let mut foreign = std::fs::read("/bin/true").unwrap();
        foreign[18] = 0xee;
        let cases: &[(&[u8], ProgramFile)] = &[
            (b"#!/usr/bin/env node\ncode", name("node")),
            (b"#! /usr/bin/env -S A=b node --flag\n", name("node")),
            (
                b"#!/bin/sh",
                ProgramFile::Script(Interpreter::Path("/bin/sh".to_owned())),
            ),
            (b"#!\n", ProgramFile::Unknown),
            (b"echo", ProgramFile::Unknown),
            (b"\x7fELF", ProgramFile::Unknown),
            (&foreign, ProgramFile::Foreign),
        ];
        for (bytes, expected) in cases {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(look(&path).unwrap(), *expected);
        }
        assert_eq!(
            look(std::path::Path::new("/bin/true")).unwrap(),
            ProgramFile::Native
        );
    }
}
