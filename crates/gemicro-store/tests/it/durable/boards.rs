//! Boards: their lines in order, and counted.

use gemicro_core::store::{Append, BoardLine, Store, StoreError, Writer};
use gemicro_event::{Json, StreamId};
use gemicro_store::{BoardTally, DurableStore, StoredBoard};
use serde_json::json;

use super::World;
use crate::make::{free_run, new_run, note, started};

/// More than one page of a database.
const N_LINES: u32 = 300;

fn line(place: u32, state: &str) -> BoardLine {
    BoardLine {
        place,
        state: state.to_owned(),
        shown: Json::from(json!({ "place": place, "text": "a, b\u{0}[\"c\"]", "state": state })),
    }
}

fn tally(state: &str, n_lines: u64, n_later: u64) -> BoardTally {
    BoardTally {
        state: state.to_owned(),
        n_lines,
        n_later,
    }
}

/// The board that these lines make.
fn board(lines: &[BoardLine], tallies: Vec<BoardTally>) -> StoredBoard {
    let shown: Vec<&str> = lines.iter().map(|line| line.shown.text()).collect();
    StoredBoard {
        shown: format!("[{}]", shown.join(",")),
        tallies,
    }
}

async fn append(store: &DurableStore, stream: &StreamId, board: Vec<BoardLine>) {
    let append = Append {
        stream: stream.clone(),
        writer: Writer::Outside,
        events: vec![note(1)],
        board,
    };
    store.append(append).await.unwrap();
}

pub(super) async fn a_board_has_its_lines_in_order_and_counted(world: &World) {
    let store = world.store().await;
    let mut lines: Vec<BoardLine> = (0..N_LINES).map(|place| line(place, "queued")).collect();
    let stream = StreamId::random();
    let mut new = new_run(&stream, vec![started("a batch")]);
    // Written in another order than they are read.
    new.board = lines.iter().rev().cloned().collect();
    store.create(new).await.unwrap();
    let expected = board(&lines, vec![tally("queued", u64::from(N_LINES), 0)]);
    assert_eq!(store.board(&stream).await.unwrap(), expected);

    for (place, state) in [(7, "done"), (250, "queued"), (0, "done")] {
        lines[place as usize] = line(place, state);
        append(&store, &stream, vec![line(place, state)]).await;
    }
    let tallies = vec![tally("done", 2, 2), tally("queued", u64::from(N_LINES) - 2, 1)];
    assert_eq!(
        store.board_tallies(&stream).await.unwrap(),
        tallies,
        "the same without the lines"
    );
    assert_eq!(store.board(&stream).await.unwrap(), board(&lines, tallies));
}

pub(super) async fn a_run_without_a_board_has_an_empty_one(world: &World) {
    let store = world.store().await;
    let stream = free_run(&store, "no board").await;
    assert_eq!(store.board(&stream).await.unwrap(), StoredBoard::default());
    assert_eq!(store.board_tallies(&stream).await.unwrap(), []);
    let error = store.board(&StreamId::random()).await.unwrap_err();
    assert!(matches!(error, StoreError::NotFound { .. }), "{error:?}");
}
