//! A request to merge: what is wanted, and what came of it.
//!
//! The main types are [`Offer`] and [`OfferResult`]. How it is made stands in `offering`.

use gemicro_event::text::one_line;
use serde::{Deserialize, Serialize};

/// What is wanted: a branch merged into another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The branch with the work; it was pushed already.
    pub head: String,
    /// The branch it is for.
    pub base: String,
    /// The title, on one line.
    pub title: String,
    /// The description, in Markdown.
    pub body: String,
    /// The line by which a run knows its own request again, such as `Gemicro-Run: k3v9…`. It becomes the last line of the
    /// body, where it is not in it yet.
    pub marker: String,
}

/// The request that is there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferResult {
    /// Address of its page at the forge.
    pub url: String,
    /// Its number in the repository.
    pub number: u64,
    /// It was there before it was asked for.
    pub existed: bool,
    /// Whether it still waits. Only a request that existed can be anything but open: it is not made again because
    /// somebody has merged or closed it.
    pub state: RequestState,
}

/// How a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    /// Neither merged nor closed yet.
    Open,
    /// The forge merged its commits.
    Merged,
    /// It was closed without being merged.
    Closed,
}

impl Offer {
    /// The body with its marker.
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

    /// Whether a body has the marker of this run as a line of its own.
    pub(crate) fn marks(&self, body: &str) -> bool {
        let marker = self.marker.trim();
        !marker.is_empty() && body.lines().any(|line| line.trim() == marker)
    }

    /// Whether a body has a marker of any run: its text was not written by a person.
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
