//! Whether an element's text is hidden from a reader: [`hides`], and rules from style sheets.
//!
//! Decided by the element's name, its attributes and simple class rules. Elements that frame text for a model, such as
//! `<system>`, count as hidden: no page has them for readers. Colours against the page's
//! background and scripts that hide things later are not known here.

use std::collections::HashSet;

use gemicro_core::offline::is_machine_tag;

/// Elements whose content a browser does not show.
const HIDDEN_NAMES: [&str; 15] = [
    "script", "style", "template", "noscript", "iframe", "noembed", "noframes", "datalist", "object",
    "audio", "video", "canvas", "title", "head", "applet",
];

/// Class names that well-known style sheets use to hide things.
const HIDDEN_CLASSES: [&str; 6] = [
    "hidden",
    "d-none",
    "sr-only",
    "visually-hidden",
    "screen-reader-text",
    "is-hidden",
];

/// Classes, ids and names that a style sheet of the page hides: `.note`, `#box`, `aside`.
#[derive(Default)]
pub(super) struct HidingRules {
    selectors: HashSet<String>,
}

impl HidingRules {
    /// Takes the hiding rules of one style sheet; rules inside `@media` and the like are left out.
    pub(super) fn read_sheet(&mut self, sheet: &str) {
        let mut depth = 0usize;
        let mut selector_start = 0;
        let mut body_start = 0;
        for (at, c) in sheet.char_indices() {
            match c {
                '{' => {
                    depth += 1;
                    body_start = at + 1;
                }
                '}' => {
                    if depth == 1 && selector_start < body_start {
                        let selectors = &sheet[selector_start..body_start - 1];
                        if style_hides(&sheet[body_start..at]) {
                            self.add(selectors);
                        }
                    }
                    depth = depth.saturating_sub(1);
                    selector_start = at + 1;
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, selectors: &str) {
        for selector in selectors.split(',').map(str::trim) {
            let simple = !selector.is_empty() && !selector.contains([' ', '>', '+', '~', ':', '[', '*', '@']);
            if simple {
                // `p.note` counts as `.note`: rather too much hidden than too little.
                let from = selector.rfind(['.', '#']).unwrap_or(0);
                self.selectors.insert(selector[from..].to_ascii_lowercase());
            }
        }
    }

    fn matches(&self, name: &str, class: &str, id: &str) -> bool {
        if self.selectors.is_empty() {
            return false;
        }
        self.selectors.contains(name)
            || self.selectors.contains(&format!("#{}", id.to_ascii_lowercase()))
            || class.split_whitespace().any(|class| {
                self.selectors
                    .contains(&format!(".{}", class.to_ascii_lowercase()))
            })
    }
}

/// Whether this element hides its content, given a way to look up its attributes.
pub(super) fn hides<'a>(
    name: &str,
    attribute: impl Fn(&str) -> Option<&'a str>,
    rules: &HidingRules,
) -> bool {
    let class = attribute("class").unwrap_or_default();
    HIDDEN_NAMES.contains(&name)
        || is_machine_tag(name)
        || (name == "dialog" && attribute("open").is_none())
        || attribute("hidden").is_some()
        || attribute("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
        || attribute("style").is_some_and(style_hides)
        || class
            .split_whitespace()
            .any(|class| HIDDEN_CLASSES.contains(&class.to_ascii_lowercase().as_str()))
        || rules.matches(name, class, attribute("id").unwrap_or_default())
}

/// Whether a list of CSS declarations hides what it is applied to.
pub(super) fn style_hides(style: &str) -> bool {
    // An escape in a declaration has no honest use.
    if style.contains('\\') || style.contains("&#") || style.contains("&colon") {
        return true;
    }
    let style = without_css_comments(style);
    let mut far_away = false;
    let (mut clipped, mut tiny) = (false, false);
    let (mut color, mut background) = (None, None);
    for declaration in style.split(';') {
        let Some((property, value)) = declaration.split_once(':') else {
            continue;
        };
        let property = property.trim().to_ascii_lowercase();
        let value: String = value.to_ascii_lowercase().split_whitespace().collect();
        let value = value.trim_end_matches("!important").to_owned();
        match property.as_str() {
            "display" if value == "none" => return true,
            "visibility" if value == "hidden" || value == "collapse" => return true,
            "content-visibility" if value == "hidden" => return true,
            "opacity" if number_of(&value).is_some_and(|n| n < 0.05) => return true,
            "font-size" | "line-height" | "zoom" if number_of(&value).is_some_and(is_nothing(&value)) => {
                return true;
            }
            "transform" if value.contains("scale(0") || value.contains("-9999") => return true,
            "clip" if value.starts_with("rect(0") || value.starts_with("rect(1px,1px") => return true,
            "clip-path" if value.starts_with("inset(100%") || value.starts_with("inset(50%") => return true,
            "left" | "right" | "top" | "bottom" | "text-indent" | "margin-left" | "margin-top" | "margin" => {
                far_away |= number_of(&value).is_some_and(|n| n <= -500.0);
            }
            "overflow" | "overflow-x" | "overflow-y" => clipped |= value == "hidden" || value == "clip",
            "width" | "height" | "max-width" | "max-height" => {
                tiny |= number_of(&value).is_some_and(is_nothing(&value));
            }
            "color" if value == "transparent" => return true,
            "color" => color = Some(value),
            "background" | "background-color" => background = Some(value),
            _ => {}
        }
    }
    far_away || (clipped && tiny) || (color.is_some() && color == background)
}

/// Sizes that nobody can read: nought, or one pixel and less.
fn is_nothing(value: &str) -> impl Fn(f64) -> bool {
    let in_pixels = value.ends_with("px") || value.ends_with("pt");
    move |n| n.abs() < 0.01 || (in_pixels && n <= 1.0)
}

/// The number at the start of a value such as `-9999px`.
fn number_of(value: &str) -> Option<f64> {
    let end = value
        .find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c)))
        .unwrap_or(value.len());
    value[..end].parse().ok()
}

fn without_css_comments(style: &str) -> String {
    let mut kept = String::with_capacity(style.len());
    let mut rest = style;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}
