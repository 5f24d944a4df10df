//! Reads the sources of research (folders, files and web pages) as texts and passages with offsets, and indexes them.
//!
//! The steps for a file, one module each:
//!
//! 1. `walk`: source paths → files to read, and files left out with a reason;
//! 2. `read`: bytes → text without invisible characters;
//! 3. `parse`: text → [`Document`](gemicro_core::corpus::Document) with blocks over what a reader sees, one file per format;
//! 4. `passages`: blocks → passages cut at sentence ends;
//! 5. `index`: passages → [`PassageIndex`], a `Corpus`;
//! 6. `snapshot`: the first three for whole sources, with the ledger of origins, and packed into one blob.
//!
//! A web page starts elsewhere: `fetch` checks its address, downloads it, and continues with steps 2 and 3. For PDF,
//! office files, books and mail, `office` reads them in a child process, with each page, slide or sheet as a document.
//!
//! [`FolderLibrary`] implements the trait `Library` with all of this: the texts are kept in the caller's blobs, and
//! searched through indexes that [`OpenIndexes`] keeps open.
//!
//! Nothing here knows about models or storage, and the only process started is the reader of `office`. Apart from
//! `fetch` and `library` everything blocks: async callers must run it on a separate thread.

mod error;
mod fetch;
mod index;
mod library;
mod limits;
mod office;
mod open_indexes;
mod parse;
mod passages;
mod read;
mod snapshot;
mod stored_documents;
mod stored_page;
mod walk;

pub use error::SourceError;
pub use fetch::{
    AllowedHost, BadAllowedHost, FetchError, FetchRules, FetchedPage, Fetcher, Lookup, SystemLookup, is_url,
};
pub use index::{IndexError, PassageIndex};
pub use library::FolderLibrary;
pub use limits::ReadLimits;
pub use office::{ReaderProgram, read_contained};
pub use open_indexes::OpenIndexes;
pub use parse::{CommentSyntax, Format, parse};
pub use passages::{HARD_LIMIT, SOFT_LIMIT, cut_passages};
pub use read::{ReadError, ReadText, decode, read_file};
pub use snapshot::{LedgerEntry, PackError, PackedSnapshot, Snapshot, pack, take_snapshot, unpack};
pub use stored_documents::stored_documents;
pub use walk::{FoundFile, FoundFiles, SkippedFile, find_files};
