//! Decoding tables and files that change while they are read.

use std::io;

use super::file::{Stamp, read_steady};
use super::{ReadError, decode};

#[test]
fn bytes_become_text() {
    for (bytes, expected) in [
        (&b"plain"[..], "plain"),
        (b"\xef\xbb\xbfmarked", "marked"),
        (b"\xff\xfeG\0r\0\xf6\0\xdf\0e\0", "Größe"),
        (b"\xfe\xff\0G\0r\0\xf6\0\xdf\0e", "Größe"),
        (b"n\0o\0 \0m\0a\0r\0k\0", "no mark"),
        (b"\0n\0o\0 \0m\0a\0r\0k", "no mark"),
        (b"Caf\xe9 \x93Soci\xe9t\xe9\x94", "Café “Société”"),
        (
            "Größe und Maß, süß \u{2013} ".as_bytes(),
            "Größe und Maß, süß \u{2013} ",
        ),
        (b"one\rtwo\rthree", "one\ntwo\nthree"),
        (b"one\r\n\r\r\ntwo\r\nthree\rfour\n", "one\n\ntwo\nthree\rfour\n"),
        (
            "\u{200b}ab \u{200b}cd\u{ad}ef\u{feff}\n\u{200e}g".as_bytes(),
            "ab cdef\ng",
        ),
        (b"", ""),
    ] {
        assert_eq!(decode(bytes).as_deref(), Ok(expected), "{bytes:?}");
    }
    let mut damaged = "日本語の文章です。".as_bytes().to_vec();
    damaged.push(0xff);
    assert_eq!(decode(&damaged).as_deref(), Ok("日本語の文章です。\u{fffd}"));
}

#[test]
fn binary_is_told_from_text() {
    for bytes in [
        &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
        b"\0\0\0\0\0\0\0\0",
        b"\x01\x02\x03\x04 text",
        b"\xff\xfe\0\0a\0\0\0b\0\0\0",
    ] {
        assert_eq!(decode(bytes), Err(ReadError::Binary), "{bytes:?}");
    }
}

#[test]
fn a_changing_file_is_read_once_more_and_then_taken_as_it_is() {
    for (sizes, expected) in [
        (&[1, 1][..], (b"1".to_vec(), false)),
        (&[1, 2, 2], (b"2".to_vec(), false)),
        (&[1, 2, 3], (b"2".to_vec(), true)),
    ] {
        let mut stamps = sizes.iter();
        let mut n_reads = 0u8;
        let stamp = || {
            let n_bytes = *stamps.next().ok_or(io::ErrorKind::NotFound)?;
            Ok(Stamp {
                n_bytes,
                modified_at: None,
            })
        };
        let read = || {
            n_reads += 1;
            Ok(vec![b'0' + n_reads])
        };
        let (bytes, _, changed) = read_steady(stamp, read).unwrap();
        assert_eq!((bytes, changed), expected, "{sizes:?}");
    }
}
