//! Text that style sheets and `style` attributes hide or show.

use super::parse;
use super::tests::{blocks_of, check};

#[test]
fn text_that_a_style_hides_is_in_no_block() {
    for hidden in [
        "<p style='color:white;background:#ffffff'>bad</p>",
        "<p style='color:rgb(255 255 255)'>bad</p>",
        "<font color=white>bad</font>",
        "<div style='background:#000'><p style='color:black'>bad</p></div>",
        "<table><tr bgcolor=navy><td><font color=#000080>bad</font></td></tr></table>",
        "<style>.y{background:#111} .x{color:#111}</style><div class=y><p class=x>bad</p></div>",
        "<style>/* a { */ .x{display:none}</style><p class=x>bad</p>",
        "<style>@import url(a.css); .q::after{content:'}/*'} p.x{opacity:0}</style><p class=x>bad</p>",
        "<style>@media screen and (min-width:1px){.x{visibility:hidden}}</style><p class=x>bad</p>",
        "<style>section > .x{font:0/0 a}</style><section><p class=x>bad</p></section>",
        "<style>h2 + p.x{font-size:calc(0px)}</style><p class=x>bad</p>",
        "<style>.w{color:black; .x{display:none}}</style><div class=w><p class=x>bad</p></div>",
        "<style>.\\78 y{d\\69splay:none}</style><p class=xy>bad</p>",
        "<style>.a\\:b{display:none}</style><p class=a:b>bad</p>",
        "<style>.x{display:none</style><p class=x>bad</p>",
        "<style>#q>p:first-child{visibility:hidden}</style><div id=q><p>bad</p></div>",
        "<style>#q>*{display:none}</style><div id=q><p>bad</p></div>",
        "<style>[data-x]{display:none}</style><p data-x>bad</p>",
        "<style>b[data-x='a-b']{display:none}</style><b data-x=A-b>bad</b>",
        "<style>section p:not(.ok, #y){display:none}</style><section><p>bad</p></section>",
        "<style>:is(.y, .x):nth-child(2n){display:none}</style><p class=x>bad</p>",
        "<style>:root{--d:none} .x{display:var(--d)}</style><p class=x>bad</p>",
        "<style>.x{display:var(--d, none)}</style><p class=x>bad</p>",
        "<style>.x{font-size:var(--s)}</style><p class=x style='--s:var(--t);--t:0'>bad</p>",
        "<p style='position:fixed;top:-100vh'>bad</p>",
        "<p style='position:relative;right:200vw'>bad</p>",
        "<svg><desc>bad</desc></svg>",
        "<select><option>bad</option></select>",
        "<p class=x>bad</p><style>.x{display:none}</style>",
        "<style>p.x{-webkit-text-fill-color:transparent}</style><div class=x><p class=x style='color:red'>bad</p></div>",
        "<div style='-webkit-text-fill-color:#fff;color:#000'>bad <b style='color:red'>bad</b></div>",
    ] {
        check("a.html", &format!("<p>good.</p>{hidden}"), &["paragraph: good."]);
        check("a.md", &format!("good.\n\n{hidden}\n"), &["paragraph: good."]);
    }
}

#[test]
fn a_page_has_its_style_without_its_tags() {
    for (text, expected) in [
        (
            "<style>body{background:#123}</style><p style='color:#123'>bad</p><p style='color:#fff'>good.",
            1,
        ),
        (
            "<style>html{background:black;color:white}</style>good.<i style='color:#000'>bad</i>",
            1,
        ),
        ("<style>body{color:white}</style>bad<p>bad", 0),
        ("<style>body > .x{display:none}</style><b class=x>bad</b>", 0),
        (
            "<style>body{background:#000}</style><body style='background:#fff'>good.<p style='color:#fff'>bad",
            1,
        ),
    ] {
        let expected = vec!["paragraph: good."; expected];
        check("a.html", text, &expected);
    }
}

#[test]
fn text_that_a_style_shows_is_in_a_block() {
    for shown in [
        "<p style='color:#fff;-webkit-text-fill-color:#000'>good.</p>",
        "<p style='color:white;background:#036'>good.</p>",
        "<div style='color:#fff'><p style='color:#000'>good.</p></div>",
        "<div style='background:url(a.png);color:#fff'><p>good.</p></div>",
        "<div style='background-image:url(a.png);color:#fff'><p>good.</p></div>",
        "<table background=a.png><tr><td style='color:#fff'>good.</table>",
        "<style>body{background:#222} .x{color:#eee}</style><body><p class=x>good.</p>",
        "<style>@media print{.x{display:none}}</style><p class=x>good.</p>",
        "<style media=print>.x{display:none}</style><p class=x>good.</p>",
        "<style>@media (max-width:9px){.menu p{display:none}}</style><p>good.</p>",
        "<style>.menu{ul{display:none} &:hover{opacity:0}}</style><ul><li class=menu>good.</ul>",
        "<style>.x:hover, .x::before, input:checked ~ p{display:none}</style><p class=x>good.</p>",
        "<style>@keyframes p{from{opacity:0}}</style><p>good.</p>",
        "<style>p:empty, :not(:defined), p:not(.x), [data-y]{display:none}</style><p class=x>good.</p>",
        "<style>[class*='ad-']{display:none}</style><p class=x>good.</p>",
        "<style>:root{--d:block;--s:0} .x{display:var(--d)} p{font-size:var(--text)}</style><p class=x>good.</p>",
        "<p style='margin-top:100vh;top:100%'>good.</p>",
        "<style>.a .x{display:none}</style><div class=a></div><p class=x>good.</p>",
    ] {
        let document = parse("a.html", shown.to_owned());
        let blocks = blocks_of(&document);
        assert!(
            blocks.len() == 1 && blocks[0].ends_with(": good."),
            "{shown}: {blocks:?}"
        );
    }
}

#[test]
fn a_huge_style_sheet_is_read_in_time() {
    let rules: String = (0..20_000)
        .map(|n| format!(".a{n} .x{{color:#{n:06x}}}"))
        .collect();
    let elements = "<p class=x>good.</p>".repeat(20_000);
    let started = std::time::Instant::now();
    let document = parse(
        "a.html",
        format!("<style>{rules}.b .x{{display:none}}</style>{elements}"),
    );
    assert!(document.blocks.is_empty());
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
