//! Existing merge requests, and how to choose the right one.

use crate::forge::offer::{Offer, RequestState};

/// A request at the forge, from the branch that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExistingRequest {
    pub(crate) number: u64,
    pub(crate) url: String,
    pub(crate) base: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) state: RequestState,
}

impl ExistingRequest {
    /// Returns true if its text should be that of the offer but is not. Text written by a person is left alone.
    pub(crate) fn is_outdated(&self, offer: &Offer) -> bool {
        let is_ours = self.state == RequestState::Open && offer.is_marked(&self.body);
        is_ours && !(self.title == offer.heading() && same_text(&self.body, &offer.text()))
    }
}

/// Chooses the request for an offer: an open one of this run, else an open one for the same base, else a merged or
/// closed one of this run.
pub(crate) fn choose<'e>(existing: &'e [ExistingRequest], offer: &Offer) -> Option<&'e ExistingRequest> {
    let rank = |request: &ExistingRequest| match (request.state, offer.marks(&request.body)) {
        (RequestState::Open, true) => Some(0),
        (RequestState::Open, false) if request.base == offer.base => Some(1),
        (RequestState::Merged | RequestState::Closed, true) => Some(2),
        (RequestState::Open | RequestState::Merged | RequestState::Closed, false) => None,
    };
    let ranked = existing
        .iter()
        .filter_map(|request| Some((rank(request)?, request)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, request)| request)
}

/// Compares ignoring line ends and trailing blanks, which forges change.
fn same_text(one: &str, other: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        text.trim_end()
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect()
    };
    lines(one) == lines(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered() -> Offer {
        Offer {
            head: "task/greet".to_owned(),
            base: "main".to_owned(),
            title: "Greet".to_owned(),
            body: "Why.".to_owned(),
            marker: "Gemicro-Run: abc".to_owned(),
        }
    }

    fn existing(number: u64, base: &str, state: RequestState, body: &str) -> ExistingRequest {
        ExistingRequest {
            number,
            url: format!("https://forge/{number}"),
            base: base.to_owned(),
            title: "Greet".to_owned(),
            body: body.to_owned(),
            state,
        }
    }

    #[test]
    fn the_request_that_is_meant_is_chosen() {
        use RequestState::{Closed, Merged, Open};
        let own = "Why.\n\nGemicro-Run: abc";
        let all = [
            existing(1, "old", Open, "by hand"),
            existing(2, "main", Closed, "by hand"),
            existing(3, "main", Merged, own),
            existing(4, "main", Open, "by hand"),
            existing(5, "next", Open, own),
        ];
        for (n_seen, expected) in [(0, None), (2, None), (3, Some(3)), (4, Some(4)), (5, Some(5))] {
            let chosen = choose(&all[..n_seen], &offered()).map(|request| request.number);
            assert_eq!(chosen, expected, "{n_seen}");
        }
    }

    #[test]
    fn only_our_own_open_texts_are_outdated() {
        use RequestState::{Closed, Open};
        let cases = [
            (Open, "Why.\r\n\r\nGemicro-Run: abc\r\n", false),
            (Open, "Older.\n\nGemicro-Run: abc", true),
            (Open, "Why.\n\nGemicro-Run: other", true),
            (Open, "by hand", false),
            (Closed, "Older.\n\nGemicro-Run: abc", false),
        ];
        for (state, body, expected) in cases {
            assert_eq!(
                existing(1, "main", state, body).is_outdated(&offered()),
                expected,
                "{body}"
            );
        }
        let mut renamed = existing(1, "main", Open, "Why.\n\nGemicro-Run: abc");
        renamed.title = "Older".to_owned();
        assert!(renamed.is_outdated(&offered()));
    }
}
