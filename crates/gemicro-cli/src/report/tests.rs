//! Pages from reports: what is escaped, linked and highlighted.

use gemicro_core::research::events::ResultMetadata;
use gemicro_core::research::{
    Citation, CitedContradiction, ContradictionSide, Grade, QuoteContext, RelatedPassage, ReportFinding,
    ReportSource, ResearchReport, StoredTexts, UnansweredQuestion,
};
use gemicro_event::StreamId;

use super::answer_html::answer_html;
use super::html::report_page;
use super::markdown::report_markdown;

fn source(number: usize, span: &str) -> ReportSource {
    ReportSource {
        citation: Citation {
            number,
            doc: format!("doc{number}.md"),
            span: span.to_owned(),
            range: 0..span.len(),
            title: "A <title>".to_owned(),
            date: Some("2024-05-02".to_owned()),
            grade: Grade::Verified,
            claim: None,
        },
        context: Some(QuoteContext {
            before: "Before & ".to_owned(),
            quote: span.to_owned(),
            after: " after.".to_owned(),
        }),
    }
}

fn report() -> ResearchReport {
    let side = |doc: &str, value: &str| ContradictionSide {
        doc: doc.to_owned(),
        span: format!("It is {value}."),
        value: value.to_owned(),
        date: None,
    };
    ResearchReport {
        question: "How long is the <bridge>?".to_owned(),
        summary: "It is **412 metres** long [1].".to_owned(),
        findings: vec![ReportFinding {
            query: "Which length does the survey give?".to_owned(),
            answer: "418 metres [2]. Not a marker: [7].".to_owned(),
        }],
        contradictions: vec![CitedContradiction {
            sides: vec![side("doc1.md", "412 metres"), side("doc2.md", "418 metres")],
        }],
        gaps: vec![UnansweredQuestion {
            query: "Who paid?".to_owned(),
            reason: "no document says".to_owned(),
        }],
        related: vec![RelatedPassage {
            doc: "money.md".to_owned(),
            span: "The city set money aside.".to_owned(),
            range: 0..3,
            title: String::new(),
            date: None,
        }],
        sources: vec![source(1, "It is 412 metres."), source(2, "It is 418 metres.")],
        partial: None,
        metadata: ResultMetadata::default(),
        stored: StoredTexts::default(),
    }
}

#[test]
fn a_page_has_every_section_and_marks_the_quotes() {
    let page = report_page(&StreamId::new("run-1").expect("a valid id"), &report());
    let headings: Vec<&str> = page
        .split("<h2>")
        .skip(1)
        .filter_map(|rest| rest.split("</h2>").next())
        .collect();
    let expected = [
        "Summary",
        "Findings",
        "Contradictions",
        "Without an answer",
        "Other passages that may help",
        "Sources",
    ];
    assert_eq!(headings, expected);
    assert!(page.contains("<h1>How long is the &lt;bridge&gt;?</h1>"));
    assert!(page.contains("Before &amp; <mark>It is 412 metres.</mark> after."));
    assert!(page.contains("<strong>412 metres</strong> long <a class=\"marker\" href=\"#source-1\""));
    assert!(page.contains("<td>doc2.md <a class=\"marker\" href=\"#source-2\">[2]</a></td>"));
    assert!(page.contains("Not a marker: [7]."));
    assert!(page.contains("The city set money aside."));
}

#[test]
fn markdown_has_the_same_parts() {
    let markdown = report_markdown(&StreamId::new("run-1").expect("a valid id"), &report());
    insta::assert_snapshot!(markdown, @r#"
    # How long is the \<bridge>?

    ## Summary

    It is **412 metres** long [1].

    ## Findings

    ### Which length does the survey give?

    418 metres [2]. Not a marker: [7].

    ## Contradictions

    - doc1.md says **412 metres** (undated); doc2.md says **418 metres** (undated)

    ## Without an answer

    - Who paid?: no document says

    Other passages that may help:

    - money.md: "The city set money aside."

    ## Sources

    1. doc1.md (2024-05-02)

       > It is 412 metres.

    2. doc2.md (2024-05-02)

       > It is 418 metres.

    ---

    Stats: 0/0 sub-queries succeeded | 0 total tokens | 0.0s. Run run-1; `gemicro show run-1` lists every step.
    "#);
}

#[test]
fn a_hostile_folder_brings_nothing_active_into_the_markdown() {
    let mut hostile = report();
    let active = [
        "![x](https://evil.example/p.png)",
        "<img src=x onerror=alert(1)>",
        "[go](javascript:alert(1))",
        "<javascript:alert(1)>",
        "[1]: https://evil.example\n\n[1]",
        "<a title=\"`\"> `<img src=x>`",
        "<div>\n![x](https://evil.example/p.png)\n\n<script>\n",
    ];
    for text in active {
        hostile.summary = text.to_owned();
        hostile.findings[0].answer = text.to_owned();
        hostile.contradictions[0].sides[0].doc = text.to_owned();
        hostile.related[0].span = text.to_owned();
        hostile.sources[0].citation.doc = text.to_owned();
        hostile.sources[0].citation.span = text.to_owned();
        let markdown = report_markdown(&StreamId::new("run-1").expect("a valid id"), &hostile);
        let mut html = String::new();
        pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new(&markdown));
        for forbidden in [
            "<img",
            "<script",
            "<a title",
            "<div",
            "href=\"javascript",
            "example\">1</a>",
        ] {
            assert!(!html.contains(forbidden), "{forbidden}: {markdown}\n{html}");
        }
        assert!(html.contains("<h2>Sources</h2>"), "{markdown}");
    }
}

#[test]
fn a_hostile_answer_brings_in_no_html_no_image_and_no_odd_link() {
    let sources = [source(1, "\"><script>alert(1)</script>")];
    let hostile = "Look: <script>alert(1)</script> ![x](https://evil.example/pixel.png) \
                   [go](javascript:alert(1)) <img src=x onerror=alert(1)> [1]\n\n```\n[1] <b>\n```\n\n\
                   <iframe src=\"https://evil.example\"></iframe>";
    let html = answer_html(hostile, &sources);
    for forbidden in ["<script", "<img", "<iframe", "javascript:", "pixel.png", "\"><"] {
        assert!(!html.contains(forbidden), "{forbidden} in {html}");
    }
    assert!(html.contains("<code>[1] &lt;b&gt;"), "{html}");
    assert!(html.contains("href=\"#source-1\""), "{html}");
}
