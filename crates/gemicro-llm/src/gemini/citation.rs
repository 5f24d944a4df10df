//! Maps the cited pages of the service to positions in the text.

use std::ops::Range;

use gemicro_core::llm::Annotation;
use reqwest::Url;

use super::interaction::InteractionCitation;

/// Maximum number of citations kept; more than any answer has.
pub(super) const MOST: usize = 10_000;

/// Converts a citation of a text block to a position in the whole text. The block is at `block` in the text.
///
/// A range that exceeds the block is cut, to whole characters; one that is outside or reversed, or whose address is not
/// a web page, is dropped. A citation without a range keeps its page and an empty range.
pub(super) fn place(citation: &InteractionCitation, block: &Range<usize>, text: &str) -> Option<Annotation> {
    let len = block.len();
    if citation.end < citation.start || citation.start > len || (citation.start == len && citation.end > len)
    {
        return None;
    }
    let url = Url::parse(&citation.url).ok()?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return None;
    }
    let start = text.floor_char_boundary(block.start + citation.start);
    let end = text.ceil_char_boundary(block.start + citation.end.min(len));
    Some(Annotation {
        url: citation.url.clone(),
        title: citation.title.clone(),
        range: start..end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(url: &str, start: usize, end: usize) -> Option<Range<usize>> {
        let citation = InteractionCitation {
            url: url.to_owned(),
            title: None,
            start,
            end,
        };
        // The block is "Öl und Öl"; before it stands "aé ".
        place(&citation, &(4..15), "aé Öl und Öl").map(|annotation| annotation.range)
    }

    #[test]
    fn ranges_end_up_inside_the_text_and_on_characters() {
        let page = "https://example.com/a";
        assert_eq!(placed(page, 0, 3), Some(4..7));
        // In the middle of "Ö", on both sides.
        assert_eq!(placed(page, 1, 9), Some(4..14));
        assert_eq!(placed(page, 8, 11), Some(12..15));
        assert_eq!(placed(page, 3, 900), Some(7..15));
        assert_eq!(placed(page, 0, usize::MAX), Some(4..15));
        assert_eq!(placed(page, 0, 0), Some(4..4));
        assert_eq!(placed(page, 5, 3), None);
        assert_eq!(placed(page, 11, 12), None);
        assert_eq!(placed(page, 12, 13), None);
        assert_eq!(placed(page, usize::MAX, usize::MAX), None);
    }

    #[test]
    fn only_web_pages_are_kept() {
        assert_eq!(placed("HTTP://example.com", 0, 1), Some(4..6));
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "x",
            "",
            "https://",
        ] {
            assert_eq!(placed(url, 0, 1), None, "{url}");
        }
    }
}
