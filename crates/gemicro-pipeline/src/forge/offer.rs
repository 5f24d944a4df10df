//! A merge request: its content and its result.
//!
//! The main types are [`Offer`] and [`OfferResult`]. `offering` creates the request.

use gemicro_event::text::one_line;
use serde::{Deserialize, Serialize};

/// A request to merge one branch into another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The branch with the work, already pushed.
    pub head: String,
    /// The target branch.
    pub base: String,
    /// The title, on one line.
    pub title: String,
    /// The description, in Markdown.
    pub body: String,
    /// The line by which a run recognises its own request, such as `Gemicro-Run: k3v9…`. It is appended to the body
    /// unless it is already there.
    pub marker: String,
}

/// The merge request at the forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferResult {
    /// Address of its page at the forge.
    pub url: String,
    /// Its number in the repository.
    pub number: u64,
    /// Whether it already existed.
    pub existed: bool,
    /// Whether it is still open. Only a request that existed can be merged or closed; it is not created again in that
    /// case.
    pub state: RequestState,
}

/// The state of a merge request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    /// Neither merged nor closed yet.
    Open,
    /// It was merged.
    Merged,
    /// It was closed without being merged.
    Closed,
}

impl Offer {
    /// Returns the body with its marker.
    pub(crate) fn text(&self) -> String {
        let body = self.body.trim_end();
        match (self.marks(body), body.is_empty()) {
            (true, _) => body.to_owned(),
            (false, true) => self.marker.trim().to_owned(),
            (false, false) => format!("{body}\n\n{}", self.marker.trim()),
        }
    }

    /// The title on one line.
    pub(crate) fn heading(&self) -> String {
        one_line(&self.title)
    }

    /// Returns true if a body has this run's marker on its own line.
    pub(crate) fn marks(&self, body: &str) -> bool {
        let marker = self.marker.trim();
        !marker.is_empty() && body.lines().any(|line| line.trim() == marker)
    }

    /// Returns true if a body has the marker of any run, so that gemicro wrote it.
    pub(crate) fn is_marked(&self, body: &str) -> bool {
        let Some((key, _)) = self.marker.trim().split_once(':') else {
            return self.marks(body);
        };
        let has_key = |line: &str| {
            let rest = line.trim().strip_prefix(key);
            rest.is_some_and(|rest| rest.starts_with(':'))
        };
        body.lines().any(has_key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(body: &str) -> Offer {
        Offer {
            head: "task/greet".to_owned(),
            base: "main".to_owned(),
            title: " Greet\n people ".to_owned(),
            body: body.to_owned(),
            marker: "Gemicro-Run: abc".to_owned(),
        }
    }

    #[test]
    fn the_marker_stands_in_the_text_once() {
        let cases = [
            ("", "Gemicro-Run: abc"),
            ("Why.\n", "Why.\n\nGemicro-Run: abc"),
            ("Why.\n\nGemicro-Run: abc\n", "Why.\n\nGemicro-Run: abc"),
            ("Gemicro-Run: abcd", "Gemicro-Run: abcd\n\nGemicro-Run: abc"),
        ];
        for (body, expected) in cases {
            assert_eq!(offer(body).text(), expected);
        }
        assert_eq!(offer("").heading(), "Greet people");
    }

    #[test]
    fn markers_of_this_run_and_of_others_are_distinguished() {
        let offer = offer("");
        let cases = [
            ("text\r\nGemicro-Run: abc\r\n", true, true),
            ("Gemicro-Run: other", false, true),
            ("it says Gemicro-Run: abc somewhere", false, false),
            ("Gemicro-Runs: abc", false, false),
            ("", false, false),
        ];
        for (body, own, any) in cases {
            assert_eq!((offer.marks(body), offer.is_marked(body)), (own, any), "{body}");
        }
    }
}
