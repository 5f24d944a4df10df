//! Indexes are opened once, shared, and dropped when unused.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use gemicro_core::blob::{BlobError, BlobId, Blobs, MemoryBlobs};
use gemicro_core::corpus::{Corpus, CorpusRequest, Library};
use gemicro_event::{ErrorKind, Failure, StreamId};

use super::{KEEP_FOR, MAX_UNUSED, OpenIndexes, OpenedIndex};
use crate::{FetchRules, FolderLibrary, PassageIndex};

fn pack(text: &str) -> BlobId {
    BlobId::of(text.as_bytes())
}

fn empty() -> OpenedIndex {
    Ok(Arc::new(PassageIndex::build(&[]).expect("an empty index")))
}

async fn get(indexes: &OpenIndexes, text: &str, n_opened: &Arc<AtomicUsize>) -> OpenedIndex {
    let n_opened = n_opened.clone();
    let open = async move {
        n_opened.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        empty()
    };
    indexes.get(&pack(text), open).await
}

/// Blobs that count how often texts are read: an index is built from them.
#[derive(Default)]
struct CountedBlobs {
    blobs: MemoryBlobs,
    n_reads: AtomicUsize,
}

impl Blobs for CountedBlobs {
    fn put(
        &self,
        stream: &StreamId,
        bytes: Vec<u8>,
    ) -> futures_util::future::BoxFuture<'_, Result<BlobId, BlobError>> {
        self.blobs.put(stream, bytes)
    }

    fn get(&self, id: &BlobId) -> futures_util::future::BoxFuture<'_, Result<Arc<[u8]>, BlobError>> {
        self.n_reads.fetch_add(1, Ordering::SeqCst);
        self.blobs.get(id)
    }
}

#[tokio::test]
async fn a_hundred_sub_queries_build_one_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("made");
    std::fs::write(docs.join("tower.md"), "The tower is 31 metres high.\n").expect("written");
    let blobs = Arc::new(CountedBlobs::default());
    let library = FolderLibrary::new(blobs.clone(), folder.path().join("index"), FetchRules::default());
    let run = StreamId::random();
    let wanted = CorpusRequest {
        paths: vec![docs.display().to_string()],
        ..CorpusRequest::default()
    };
    let card = library.read(&run, wanted).await.expect("read");
    let opened = join_all((0..100).map(|_| library.open(&run, &card.pack))).await;
    let opened: Vec<Arc<dyn Corpus>> = opened.into_iter().map(|it| it.expect("opened")).collect();
    assert_eq!(blobs.n_reads.load(Ordering::SeqCst), 1, "builds");
    assert!(opened.iter().all(|index| Arc::ptr_eq(index, &opened[0])));
    assert_eq!(opened[0].passages("tower.md").expect("read").len(), 1);
}

#[tokio::test]
async fn a_failure_is_shared_by_those_who_wait_and_not_kept() {
    let (indexes, n_opened) = (OpenIndexes::default(), Arc::new(AtomicUsize::new(0)));
    let failing = |n_opened: Arc<AtomicUsize>| async move {
        n_opened.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        Err(Failure::new(ErrorKind::StorageError, "the disk is full"))
    };
    let name = pack("a");
    let all = join_all((0..20).map(|_| indexes.get(&name, failing(n_opened.clone())))).await;
    assert!(
        all.iter()
            .all(|opened| opened.as_ref().is_err_and(|it| it.message == "the disk is full"))
    );
    assert_eq!(n_opened.load(Ordering::SeqCst), 1);
    while !indexes.inner.lock().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(get(&indexes, "a", &n_opened).await.is_ok());
}

#[tokio::test]
async fn who_asked_first_may_leave() {
    let (indexes, n_opened) = (OpenIndexes::default(), Arc::new(AtomicUsize::new(0)));
    let first = get(&indexes, "a", &n_opened).now_or_never();
    assert!(first.is_none(), "it was still being opened");
    assert!(get(&indexes, "a", &n_opened).await.is_ok());
    assert_eq!(n_opened.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn an_index_is_dropped_when_nothing_uses_it() {
    let (indexes, n_opened) = (OpenIndexes::default(), Arc::new(AtomicUsize::new(0)));
    let held = get(&indexes, "a", &n_opened).await.expect("opened");
    tokio::time::sleep(KEEP_FOR * 3).await;
    let again = get(&indexes, "a", &n_opened).await.expect("opened");
    assert!(Arc::ptr_eq(&held, &again), "a step has it");
    let seen: Weak<dyn Corpus> = Arc::downgrade(&held);
    drop((held, again));
    assert!(seen.upgrade().is_some(), "the next step may want it");
    tokio::time::sleep(KEEP_FOR * 3).await;
    assert!(seen.upgrade().is_none());
    get(&indexes, "a", &n_opened).await.expect("opened");
    assert_eq!(n_opened.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn few_unused_indexes_are_kept_and_every_used_one() {
    let (indexes, n_opened) = (OpenIndexes::default(), Arc::new(AtomicUsize::new(0)));
    let used = get(&indexes, "used", &n_opened).await.expect("opened");
    for number in 0..20 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        get(&indexes, &number.to_string(), &n_opened)
            .await
            .expect("opened");
    }
    tokio::time::sleep(Duration::from_millis(1)).await;
    let n_unused = indexes
        .inner
        .lock()
        .values()
        .filter(|slot| slot.is_unused())
        .count();
    assert_eq!(n_unused, MAX_UNUSED);
    let again = get(&indexes, "used", &n_opened).await.expect("opened");
    assert!(Arc::ptr_eq(&used, &again));
    get(&indexes, "19", &n_opened).await.expect("the newest is kept");
    assert_eq!(n_opened.load(Ordering::SeqCst), 21);
}
