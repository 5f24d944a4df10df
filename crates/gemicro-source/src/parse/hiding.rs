//! Whether an element's text is hidden from a reader: [`hides`], and what declarations of CSS say about it: [`Style`].
//!
//! Decided by the element's name, its attributes and the page's own style sheets (see `style_rules`). Elements that frame
//! text for a model, such as `<system>`, count as hidden: no page has them for readers. Scripts that hide things
//! later and sheets in other files are not known here.

use gemicro_core::offline::is_machine_tag;

use super::color::Color;
use super::style_rules::plain_css;
use super::style_variables::{StyleVariables, plain_value};

/// Elements whose content a browser does not show.
const HIDDEN_NAMES: [&str; 19] = [
    "script", "style", "template", "noscript", "iframe", "noembed", "noframes", "datalist", "select",
    "object", "audio", "video", "canvas", "title", "head", "applet", "desc", "metadata", "defs",
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

/// What declarations say about how a text is seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Style {
    pub(super) hides: bool,
    pub(super) color: Option<Color>,
    pub(super) background: Option<Color>,
    /// `-webkit-text-fill-color`, which browsers prefer to `color`.
    pub(super) fill: Option<Color>,
}

/// Whether this element hides its content by its name or attributes, style apart.
pub(super) fn hides<'a>(name: &str, attribute: impl Fn(&str) -> Option<&'a str>) -> bool {
    let class = attribute("class").unwrap_or_default();
    HIDDEN_NAMES.contains(&name)
        || is_machine_tag(name)
        || (name == "dialog" && attribute("open").is_none())
        || attribute("hidden").is_some()
        || attribute("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
        || class
            .split_whitespace()
            .any(|class| HIDDEN_CLASSES.contains(&class.to_ascii_lowercase().as_str()))
}

impl Style {
    /// What the attributes of an element say: `style`, and those of old pages.
    pub(super) fn of_attributes<'a>(
        name: &str,
        attribute: impl Fn(&str) -> Option<&'a str>,
        variables: &StyleVariables,
    ) -> Self {
        let color = if name == "body" { "text" } else { "color" };
        let read = |value: &str| Color::of(&value.to_ascii_lowercase());
        let mut style = Self {
            hides: false,
            color: attribute(color).map(read),
            background: attribute("background").or(attribute("bgcolor")).map(read),
            fill: None,
        };
        if let Some(declarations) = attribute("style") {
            // An entity that is left in a declaration has no honest use.
            style.hides = declarations.contains("&#") || declarations.contains("&colon");
            style.add(&Self::of(&plain_css(declarations), variables));
        }
        style
    }

    /// Adds what another rule for the same element says.
    pub(super) fn add(&mut self, other: &Self) {
        self.hides |= other.hides;
        self.color = other.color.clone().or(self.color.take());
        self.background = other.background.clone().or(self.background.take());
        self.fill = other.fill.clone().or(self.fill.take());
    }

    /// What a list of declarations says, without comments and backslashes.
    pub(super) fn of(declarations: &str, variables: &StyleVariables) -> Self {
        let mut style = Self::default();
        let mut far_away = false;
        let (mut clipped, mut tiny) = (false, false);
        for declaration in declarations.split(';') {
            let Some((property, value)) = declaration.split_once(':') else {
                continue;
            };
            let property = property.trim().to_ascii_lowercase();
            let written = value.to_ascii_lowercase();
            let written = written
                .trim()
                .trim_end_matches("important")
                .trim_end_matches(['!', ' ']);
            let value = plain_value(value);
            let values = variables.values_of(&value);
            let mut values = values
                .iter()
                .map(|value| value.strip_prefix("calc(").unwrap_or(value));
            let is_inherited = matches!(
                value.as_str(),
                "inherit" | "initial" | "unset" | "revert" | "none" | "currentcolor"
            );
            match property.as_str() {
                "left" | "right" | "top" | "bottom" | "text-indent" | "margin-left" | "margin-top"
                | "margin" => {
                    far_away |= values.any(|value| is_outside(&property, value));
                }
                "overflow" | "overflow-x" | "overflow-y" => {
                    clipped |= values.any(|value| value == "hidden" || value == "clip");
                }
                "width" | "height" | "max-width" | "max-height" => tiny |= values.any(is_nothing),
                "color"
                | "-webkit-text-fill-color"
                | "background"
                | "background-color"
                | "background-image"
                    if is_inherited => {}
                "color" => style.color = Some(Color::of(written)),
                "-webkit-text-fill-color" => style.fill = Some(Color::of(written)),
                "background" | "background-color" => {
                    let color = Color::of_background(written);
                    style.background = Some(color).filter(|it| *it != Color::Transparent);
                }
                // What a picture looks like is not known.
                "background-image" => style.background = Some(Color::other(written)),
                "font" => style.hides |= written.split_whitespace().any(is_nothing),
                property => style.hides |= values.any(|value| declaration_hides(property, value)),
            }
        }
        style.hides |= far_away || (clipped && tiny);
        style
    }
}

/// Whether one declaration hides what it is applied to, whatever else is declared.
fn declaration_hides(property: &str, value: &str) -> bool {
    match property {
        "display" => value == "none",
        "visibility" => value == "hidden" || value == "collapse",
        "content-visibility" => value == "hidden",
        "opacity" => number_of(value).is_some_and(|n| n < 0.05),
        "font-size" | "line-height" | "zoom" => is_nothing(value),
        "filter" => value.contains("opacity(0)") || value.contains("opacity(0%)"),
        "transform" => value.contains("scale(0") || value.contains("-9999"),
        "clip" => value.starts_with("rect(0") || value.starts_with("rect(1px,1px"),
        "clip-path" => ["inset(100%", "inset(50%", "circle(0", "ellipse(0"]
            .iter()
            .any(|shape| value.starts_with(shape)),
        _ => false,
    }
}

/// Whether an offset moves a text out of the page. A page can be scrolled down, but not up, and is as wide as the window.
fn is_outside(property: &str, value: &str) -> bool {
    let is_sideways = matches!(property, "left" | "right" | "text-indent" | "margin-left");
    let in_windows = ["vw", "vh", "vmin", "vmax"]
        .iter()
        .any(|unit| value.contains(unit));
    number_of(value).is_some_and(|n| {
        n <= -500.0
            || (n <= -100.0 && (in_windows || value.contains('%')))
            || (n >= 100.0 && in_windows && is_sideways)
    })
}

/// Whether a size cannot be read: zero, or one pixel and less.
fn is_nothing(value: &str) -> bool {
    let in_pixels = value.contains("px") || value.contains("pt");
    number_of(value).is_some_and(|n| n.abs() < 0.01 || (in_pixels && n <= 1.0))
}

/// The number at the start of a value such as `-9999px`.
fn number_of(value: &str) -> Option<f64> {
    let end = value
        .find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c)))
        .unwrap_or(value.len());
    value[..end].parse().ok()
}
