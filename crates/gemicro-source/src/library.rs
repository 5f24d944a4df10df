//! A library of folders, files and pages: read once, kept as blobs, searched through a cached index.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::blob::{BlobId, Blobs};
use gemicro_core::corpus::{Corpus, CorpusRequest, Document, Library, LibraryCard, Page, SkippedSource};
use gemicro_event::{ErrorKind, Failure, StreamId, Timestamp};
use tokio::sync::Mutex;

use crate::open_indexes::{OpenIndexes, OpenedIndex};
use crate::stored_page::StoredPage;
use crate::{FetchRules, Fetcher, is_url};
use crate::{
    IndexError, LedgerEntry, PackedSnapshot, PassageIndex, ReadLimits, ReaderProgram, Snapshot, SourceError,
    pack, take_snapshot, unpack,
};

/// Maximum number of skipped files named in the journal; the rest is counted.
const NAMED_SKIPS: usize = 20;

/// Reads folders and files of this machine.
pub struct FolderLibrary {
    blobs: Arc<dyn Blobs>,
    /// One folder per pack; a cache that may be deleted at any time.
    index_folder: PathBuf,
    /// Indexes opened in this process.
    indexes: OpenIndexes,
    /// The last reading, if several runs share one; locked while it is being made.
    shared: Option<Mutex<Option<SharedReading>>>,
    /// Fetches pages of the web.
    fetcher: Fetcher,
    /// Reads PDF, office files, books and mail.
    reader: Option<ReaderProgram>,
}

/// A reading and its sources.
type SharedReading = (Vec<String>, Arc<SourceReading>);

/// The result of reading the sources.
struct SourceReading {
    packed: PackedSnapshot,
    ledger: Vec<u8>,
    skipped: Vec<SkippedSource>,
    n_skipped: usize,
    n_documents: usize,
}

impl SourceReading {
    fn of(snapshot: &Snapshot, skipped: Vec<SkippedSource>, n_skipped: usize) -> Result<Self, Failure> {
        let packed = pack(snapshot);
        let ledger = serde_json::to_vec(&packed.ledger)
            .map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
        // Pages, slides and sheets of one file count as one document.
        let origins: HashSet<&str> = snapshot
            .ledger
            .iter()
            .map(|entry| entry.origin.as_str())
            .collect();
        let n_parts = snapshot.ledger.len() - origins.len();
        Ok(Self {
            packed,
            ledger,
            skipped,
            n_skipped,
            n_documents: snapshot.documents.len() - n_parts,
        })
    }
}

impl FolderLibrary {
    /// A library that stores texts in `blobs` and indexes below `index_folder`, and fetches pages under these rules.
    #[must_use]
    pub fn new(blobs: Arc<dyn Blobs>, index_folder: PathBuf, rules: FetchRules) -> Self {
        Self {
            blobs,
            index_folder,
            indexes: OpenIndexes::default(),
            shared: None,
            fetcher: Fetcher::new(rules),
            reader: None,
        }
    }

    /// Reads PDF, office files, books and mail with this program; without one they are skipped.
    #[must_use]
    pub fn reading_with(mut self, reader: Option<ReaderProgram>) -> Self {
        self.reader = reader;
        self
    }

    /// Lets several runs of this process share one reading of the same sources.
    #[must_use]
    pub fn share_readings(mut self) -> Self {
        self.shared = Some(Mutex::default());
        self
    }

    /// Shares open indexes with other libraries over the same folder.
    #[must_use]
    pub fn sharing_indexes(mut self, indexes: OpenIndexes) -> Self {
        self.indexes = indexes;
        self
    }

    /// Reads everything that is requested.
    async fn gather(&self, wanted: CorpusRequest) -> Result<Arc<SourceReading>, Failure> {
        let (urls, files): (Vec<String>, Vec<String>) =
            wanted.paths.into_iter().partition(|path| is_url(path));
        if urls.is_empty() && wanted.pack.is_none() && wanted.pages.is_empty() {
            return self.read_sources(files).await;
        }
        let mut all = GatheredTexts::default();
        if let Some(pack) = &wanted.pack {
            let ledger = match &wanted.ledger {
                Some(ledger) => self.blobs.get(ledger).await?.to_vec(),
                None => Vec::new(),
            };
            let bytes = self.blobs.get(pack).await?;
            all.add_pack(&bytes, &ledger)?;
        }
        for page in &wanted.pages {
            all.add_page(StoredPage::from_bytes(&self.blobs.get(page).await?)?);
        }
        for url in &urls {
            all.add_page(StoredPage::new(self.fetcher.fetch(url).await?));
        }
        if !files.is_empty() {
            let reading = self.read_sources(files).await?;
            let ledger = reading.ledger.clone();
            all.add_pack(&reading.packed.bytes, &ledger)?;
            all.skipped.extend(reading.skipped.iter().cloned());
            all.n_skipped += reading.n_skipped;
        }
        Ok(Arc::new(all.into_reading()?))
    }

    async fn read_sources(&self, paths: Vec<String>) -> Result<Arc<SourceReading>, Failure> {
        let reader = self.reader.clone();
        let Some(shared) = &self.shared else {
            return Ok(Arc::new(
                run_blocking(move || read_all(&paths, reader.as_ref())).await??,
            ));
        };
        let mut last = shared.lock().await;
        if let Some((known, reading)) = &*last
            && *known == paths
        {
            return Ok(reading.clone());
        }
        let for_reading = paths.clone();
        let reading = Arc::new(run_blocking(move || read_all(&for_reading, reader.as_ref())).await??);
        *last = Some((paths, reading.clone()));
        Ok(reading)
    }
}

impl Library for FolderLibrary {
    fn read(&self, run: &StreamId, wanted: CorpusRequest) -> BoxFuture<'_, Result<LibraryCard, Failure>> {
        let run = run.clone();
        Box::pin(async move {
            let reading = self.gather(wanted).await?;
            let pack = self.blobs.put(&run, reading.packed.bytes.clone()).await?;
            let ledger = self.blobs.put(&run, reading.ledger.clone()).await?;
            Ok(LibraryCard {
                n_documents: reading.n_documents,
                n_bytes: reading.packed.ledger.iter().map(|entry| entry.n_bytes).sum(),
                pack,
                ledger,
                skipped: reading.skipped.clone(),
                n_skipped: reading.n_skipped,
            })
        })
    }

    fn fetch(&self, run: &StreamId, url: &str) -> BoxFuture<'_, Result<Page, Failure>> {
        let (run, url) = (run.clone(), url.to_owned());
        Box::pin(async move {
            let fetched = self.fetcher.fetch(&url).await?;
            let (url, sha256, n_bytes) = (fetched.url.clone(), fetched.sha256.clone(), fetched.n_bytes);
            let stored = StoredPage::new(fetched);
            let blob = self.blobs.put(&run, stored.to_bytes()?).await?;
            Ok(Page {
                url,
                sha256,
                n_bytes,
                blob,
                document: stored.document,
            })
        })
    }

    fn open(&self, _run: &StreamId, pack: &BlobId) -> BoxFuture<'_, Result<Arc<dyn Corpus>, Failure>> {
        let opening = open_index(
            self.indexes.clone(),
            self.blobs.clone(),
            self.index_folder.join(pack.as_str()),
            pack.clone(),
        );
        let pack = pack.clone();
        Box::pin(async move { self.indexes.get(&pack, opening).await })
    }
}

/// Opens the index of a pack, or builds it from the stored texts if it is missing or damaged.
async fn open_index(
    indexes: OpenIndexes,
    blobs: Arc<dyn Blobs>,
    folder: PathBuf,
    pack: BlobId,
) -> OpenedIndex {
    let for_open = folder.clone();
    if let Ok(index) = run_blocking(move || PassageIndex::open(&for_open)).await? {
        return Ok(Arc::new(index));
    }
    let _permit = indexes.may_build().await;
    let bytes = blobs.get(&pack).await?;
    Ok(Arc::new(run_blocking(move || build(&folder, &bytes)).await??))
}

/// Texts from several sources, each only once.
#[derive(Default)]
struct GatheredTexts {
    snapshot: Snapshot,
    skipped: Vec<SkippedSource>,
    n_skipped: usize,
}

impl GatheredTexts {
    fn add_pack(&mut self, bytes: &[u8], ledger: &[u8]) -> Result<(), Failure> {
        let damaged = |message: String| Failure::new(ErrorKind::StorageError, message);
        let documents = unpack(bytes).map_err(|error| damaged(error.to_string()))?;
        let ledger: Vec<LedgerEntry> = match ledger {
            [] => Vec::new(),
            bytes => serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?,
        };
        for document in documents {
            let entry = ledger.iter().find(|entry| entry.doc == document.doc).cloned();
            self.add(document, entry);
        }
        Ok(())
    }

    fn add_page(&mut self, page: StoredPage) {
        self.add(page.document, Some(page.ledger));
    }

    fn add(&mut self, document: Document, entry: Option<LedgerEntry>) {
        if self
            .snapshot
            .documents
            .iter()
            .all(|known| known.doc != document.doc)
        {
            self.snapshot.documents.push(document);
            self.snapshot.ledger.extend(entry);
        }
    }

    fn into_reading(self) -> Result<SourceReading, Failure> {
        SourceReading::of(&self.snapshot, self.skipped, self.n_skipped)
    }
}

fn read_all(paths: &[String], reader: Option<&ReaderProgram>) -> Result<SourceReading, Failure> {
    let sources: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let read_at = Timestamp::now().to_string();
    let snapshot =
        take_snapshot(&sources, &ReadLimits::default(), reader, &read_at).map_err(source_failure)?;
    let n_skipped = snapshot.skipped.len();
    let named = snapshot.skipped.iter().take(NAMED_SKIPS);
    let skipped = named
        .map(|it| SkippedSource {
            path: it.path.display().to_string(),
            reason: it.reason.clone(),
        })
        .collect();
    SourceReading::of(&snapshot, skipped, n_skipped)
}

fn build(folder: &std::path::Path, bytes: &[u8]) -> Result<PassageIndex, Failure> {
    if let Some(parent) = folder.parent() {
        private_folder(parent)?;
    }
    let documents =
        unpack(bytes).map_err(|error| Failure::new(ErrorKind::StorageError, error.to_string()))?;
    let index_failed = |error: IndexError| Failure::new(ErrorKind::StorageError, error.to_string());
    PassageIndex::open_or_build(folder, &documents).map_err(index_failed)
}

/// Creates a folder that only the owner may access, whatever the umask: an index contains the texts of its sources.
fn private_folder(folder: &std::path::Path) -> Result<(), Failure> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder);
    let made = made.and_then(|()| std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)));
    made.map_err(|error| Failure::new(ErrorKind::StorageError, format!("{}: {error}", folder.display())))
}

fn source_failure(error: SourceError) -> Failure {
    let kind = match &error {
        SourceError::NotFound { .. } => ErrorKind::NotFound,
        SourceError::Unreadable { reason, .. } if reason.contains("permission") => {
            ErrorKind::PermissionDenied
        }
        _ => ErrorKind::InvalidInput,
    };
    Failure::new(kind, error.to_string())
}

async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let joined = tokio::task::spawn_blocking(work).await;
    joined.map_err(|_| Failure::new(ErrorKind::Internal, "reading the sources panicked"))
}
