//! Unpacks a zip file within limits: [`BoundedArchive`].
//!
//! Sizes in the headers are not trusted: bytes are counted while unpacking. Nested archives are not opened.

use std::io::{self, BufReader, Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::error::{MAX_ENTRIES, MAX_UNPACKED, OfficeError};
use super::xml::{XmlItem, read_xml};

/// The files of a document.
pub(super) struct BoundedArchive {
    zip: ZipArchive<Cursor<Vec<u8>>>,
    /// Remaining number of bytes that may be unpacked.
    n_left: u64,
}

impl BoundedArchive {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, OfficeError> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(zip_error)?;
        if zip.len() > MAX_ENTRIES {
            return Err(OfficeError::Entries);
        }
        Ok(Self {
            zip,
            n_left: MAX_UNPACKED,
        })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// Visits the XML of a file; if the file is missing, nothing is visited.
    pub(super) fn xml(
        &mut self,
        name: &str,
        visit: impl FnMut(XmlItem<'_>) -> Result<(), OfficeError>,
    ) -> Result<(), OfficeError> {
        self.with_file(name, |reader| read_xml(BufReader::new(reader), visit))
            .map(|_| ())
    }

    /// The bytes of a whole file; `None` if there is none.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, OfficeError> {
        self.with_file(name, |reader| {
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).map_err(OfficeError::broken_file)?;
            Ok(bytes)
        })
    }

    fn with_file<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn Read) -> Result<T, OfficeError>,
    ) -> Result<Option<T>, OfficeError> {
        let Some(idx) = self.zip.index_for_name(name) else {
            return Ok(None);
        };
        let file = self.zip.by_index(idx).map_err(zip_error)?;
        let mut reader = CountingReader {
            inner: file,
            n_left: &mut self.n_left,
        };
        match read(&mut reader) {
            Err(_) if self.n_left == 0 => Err(OfficeError::Unpacked),
            result => result.map(Some),
        }
    }
}

/// A reader that fails when the limit is exceeded.
struct CountingReader<'a, R> {
    inner: R,
    n_left: &'a mut u64,
}

impl<R: Read> Read for CountingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.inner.read(buffer)?;
        *self.n_left = self.n_left.saturating_sub(n_bytes as u64);
        if *self.n_left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(n_bytes)
    }
}

fn zip_error(error: ZipError) -> OfficeError {
    match error {
        ZipError::InvalidPassword => OfficeError::Encrypted,
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => OfficeError::Encrypted,
        error => OfficeError::broken_file(error),
    }
}
