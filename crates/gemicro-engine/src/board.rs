//! Reads the boards of batches, and rebuilds all boards.

use gemicro_batch::contract::{BatchAnswer, BatchProgress, Counts, ItemState, Items, next_poll_seconds};
use gemicro_core::run::RunRow;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{Failure, Timestamp};
use gemicro_store::{BoardTally, DurableStore, RunFilter, StoredBoard};

use crate::flows::FLOWS;

/// The number of tasks in each state, from a batch's board; `None` if it has no tasks or an unknown state.
#[must_use]
pub fn counts_of_board(tallies: &[BoardTally]) -> Option<Counts> {
    let mut counts = Counts::default();
    for tally in tallies {
        counts.add_many(ItemState::from_word(&tally.state)?, tally.n_lines);
    }
    (counts.total > 0).then_some(counts)
}

/// The answer from a board; `None` if it cannot be read or has no lines.
#[must_use]
pub fn answer_of_board(row: &RunRow, board: StoredBoard) -> Option<BatchAnswer> {
    let counts = counts_of_board(&board.tallies)?;
    // Tasks that were settled from the start were written with the first event.
    let is_final = |tally: &&BoardTally| ItemState::from_word(&tally.state).is_some_and(ItemState::is_final);
    let n_settled = board
        .tallies
        .iter()
        .filter(is_final)
        .map(|tally| tally.n_later)
        .sum();
    let next_poll = next_poll_seconds(BatchProgress {
        n_open: counts.open(),
        n_settled,
        elapsed: Timestamp::now().since(row.started_at),
        parked_for: None,
    });
    let items = Items::of_board(board.shown).ok()?;
    Some(BatchAnswer::with_counts(
        row.run.to_string(),
        items,
        next_poll,
        counts,
    ))
}

/// Rewrites the boards of all runs from their journals. Returns their number.
///
/// # Errors
/// When the store fails or a journal cannot be read.
pub async fn rebuild_boards(store: &DurableStore) -> Result<u64, Failure> {
    let mut n_boards = 0;
    for flow in FLOWS.into_iter().filter(|flow| flow.has_board()) {
        let filter = RunFilter {
            flow: Some(flow.name().to_owned()),
            limit: Some(usize::MAX),
            ..RunFilter::default()
        };
        for row in store.runs(&filter).await? {
            let events = match store.read(&row.run, 0, usize::MAX).await {
                Ok(page) => page.events,
                // An erased run has no board.
                Err(StoreError::Erased { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            store.rewrite_board(&row.run, flow.whole_board(&events)?).await?;
            n_boards += 1;
        }
    }
    Ok(n_boards)
}
