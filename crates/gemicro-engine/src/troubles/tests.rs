//! How long a run waits for its store.

use super::*;

#[test]
fn a_run_is_tried_again_later_and_later() {
    let (troubles, run, start) = (Troubles::default(), StreamId::random(), Instant::now());
    let at = |seconds| start + Duration::from_secs(seconds);
    troubles.note(&run, &Failure::new(ErrorKind::Conflict, "taken over"), start);
    assert_eq!(troubles.runs(), []);
    let full = Failure::new(ErrorKind::StorageError, "the disk is full");
    let mut now = 0;
    for wait in [1, 2, 4, 8, 16, 30, 30] {
        troubles.note(&run, &full, at(now));
        assert_eq!(troubles.due(at(now + wait - 1)), []);
        now += wait;
        assert_eq!(troubles.due(at(now)), std::slice::from_ref(&run));
    }
    assert_eq!(troubles.of(&run), Some(full));
    troubles.forget(&run);
    assert_eq!((troubles.of(&run), troubles.due(at(now))), (None, Vec::new()));
}
