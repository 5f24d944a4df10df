//! Folders and files as a library: read once, kept as blobs, searched through a cached index.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use gemicro_core::blob::{BlobId, Blobs};
use gemicro_core::corpus::{Corpus, Library, LibraryCard, SkippedSource};
use gemicro_event::{ErrorKind, Failure, StreamId, Timestamp};
use gemicro_source::{
    IndexError, Packed, PassageIndex, ReadLimits, SourceError, pack, take_snapshot, unpack,
};

/// Skipped files named in the journal; the rest is counted.
const NAMED_SKIPS: usize = 20;

/// Reads folders and files of this machine.
pub struct FolderLibrary {
    blobs: Arc<dyn Blobs>,
    /// One folder per pack; a cache that may be deleted at any time.
    index_folder: PathBuf,
    /// Indexes opened in this process.
    open: Mutex<HashMap<BlobId, Arc<PassageIndex>>>,
    /// The last reading, where several runs share one.
    shared: Option<Mutex<Option<SharedReading>>>,
}

/// A reading and the sources it is of.
type SharedReading = (Vec<String>, Arc<Reading>);

/// What reading the sources gave.
struct Reading {
    packed: Packed,
    ledger: Vec<u8>,
    skipped: Vec<SkippedSource>,
    n_skipped: usize,
}

impl FolderLibrary {
    /// A library that keeps what it reads in `blobs` and its indexes below `index_folder`.
    #[must_use]
    pub fn new(blobs: Arc<dyn Blobs>, index_folder: PathBuf) -> Self {
        Self {
            blobs,
            index_folder,
            open: Mutex::default(),
            shared: None,
        }
    }

    /// Lets several runs of this process share one reading of the same sources.
    #[must_use]
    pub fn sharing(mut self) -> Self {
        self.shared = Some(Mutex::default());
        self
    }

    async fn reading(&self, paths: Vec<String>) -> Result<Arc<Reading>, Failure> {
        if let Some(shared) = &self.shared
            && let Some((known, reading)) = &*shared.lock().unwrap_or_else(PoisonError::into_inner)
            && *known == paths
        {
            return Ok(reading.clone());
        }
        let for_reading = paths.clone();
        let reading = Arc::new(blocking(move || read_all(&for_reading)).await??);
        if let Some(shared) = &self.shared {
            *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some((paths, reading.clone()));
        }
        Ok(reading)
    }
}

impl Library for FolderLibrary {
    fn read(&self, run: &StreamId, paths: Vec<String>) -> BoxFuture<'_, Result<LibraryCard, Failure>> {
        let run = run.clone();
        Box::pin(async move {
            let reading = self.reading(paths).await?;
            let pack = self.blobs.put(&run, reading.packed.bytes.clone()).await?;
            let ledger = self.blobs.put(&run, reading.ledger.clone()).await?;
            Ok(LibraryCard {
                n_documents: reading.packed.ledger.len(),
                n_bytes: reading.packed.ledger.iter().map(|entry| entry.n_bytes).sum(),
                pack,
                ledger,
                skipped: reading.skipped.clone(),
                n_skipped: reading.n_skipped,
            })
        })
    }

    fn open(&self, _run: &StreamId, pack: &BlobId) -> BoxFuture<'_, Result<Arc<dyn Corpus>, Failure>> {
        let pack = pack.clone();
        Box::pin(async move {
            if let Some(index) = self
                .open
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(&pack)
            {
                return Ok(index.clone() as Arc<dyn Corpus>);
            }
            let folder = self.index_folder.join(pack.as_str());
            let for_open = folder.clone();
            let opened = match blocking(move || PassageIndex::open(&for_open)).await? {
                Ok(index) => index,
                // Not built yet, or damaged: the stored texts are the truth.
                Err(_) => {
                    let bytes = self.blobs.get(&pack).await?;
                    blocking(move || build(&folder, &bytes)).await??
                }
            };
            let index = Arc::new(opened);
            self.open
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(pack, index.clone());
            Ok(index as Arc<dyn Corpus>)
        })
    }
}

fn read_all(paths: &[String]) -> Result<Reading, Failure> {
    let sources: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let read_at = Timestamp::now().to_string();
    let snapshot = take_snapshot(&sources, &ReadLimits::default(), &read_at).map_err(refused)?;
    let n_skipped = snapshot.skipped.len();
    let named = snapshot.skipped.iter().take(NAMED_SKIPS);
    let skipped = named
        .map(|it| SkippedSource {
            path: it.path.display().to_string(),
            reason: it.reason.clone(),
        })
        .collect();
    let packed = pack(&snapshot);
    let ledger = serde_json::to_vec(&packed.ledger)
        .map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
    Ok(Reading {
        packed,
        ledger,
        skipped,
        n_skipped,
    })
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

/// An index holds the texts of its sources, so its folder is for the owner alone, whatever the umask.
fn private_folder(folder: &std::path::Path) -> Result<(), Failure> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder);
    let made = made.and_then(|()| std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)));
    made.map_err(|error| Failure::new(ErrorKind::StorageError, format!("{}: {error}", folder.display())))
}

fn refused(error: SourceError) -> Failure {
    let kind = match &error {
        SourceError::NotFound { .. } => ErrorKind::NotFound,
        SourceError::Unreadable { reason, .. } if reason.contains("permission") => {
            ErrorKind::PermissionDenied
        }
        _ => ErrorKind::InvalidInput,
    };
    Failure::new(kind, error.to_string())
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let joined = tokio::task::spawn_blocking(work).await;
    joined.map_err(|_| Failure::new(ErrorKind::Internal, "reading the sources panicked"))
}
