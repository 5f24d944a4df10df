//! Colours of CSS and HTML, as far as needed to see that a text has the colour of its background: [`Color`].

use gemicro_event::text::first_bytes;

/// Channels that differ by less look the same.
const SAME: u8 = 24;
/// Length up to which unknown colours are told apart.
const MAX_WRITTEN_BYTES: usize = 64;
/// Opacity below which nothing is seen.
const LEAST_OPACITY: f64 = 0.05;

/// The sixteen names of HTML, and those of nearly white.
const NAMES: [(&str, u32); 25] = [
    ("black", 0x00_0000),
    ("silver", 0xc0_c0c0),
    ("gray", 0x80_8080),
    ("grey", 0x80_8080),
    ("white", 0xff_ffff),
    ("maroon", 0x80_0000),
    ("red", 0xff_0000),
    ("purple", 0x80_0080),
    ("fuchsia", 0xff_00ff),
    ("green", 0x00_8000),
    ("lime", 0x00_ff00),
    ("olive", 0x80_8000),
    ("yellow", 0xff_ff00),
    ("navy", 0x00_0080),
    ("blue", 0x00_00ff),
    ("teal", 0x00_8080),
    ("aqua", 0x00_ffff),
    ("snow", 0xff_fafa),
    ("ivory", 0xff_fff0),
    ("azure", 0xf0_ffff),
    ("seashell", 0xff_f5ee),
    ("mintcream", 0xf5_fffa),
    ("ghostwhite", 0xf8_f8ff),
    ("floralwhite", 0xff_faf0),
    ("whitesmoke", 0xf5_f5f5),
];

/// The colour of a text or a background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Color {
    Rgb([u8; 3]),
    Transparent,
    /// A colour or picture that is only known by how it is written. Every open element keeps a copy: see [`Self::other`].
    Other(String),
}

impl Color {
    pub(super) const BLACK: Self = Self::Rgb([0; 3]);
    pub(super) const WHITE: Self = Self::Rgb([255; 3]);

    /// Reads a colour, in lower case.
    pub(super) fn of(text: &str) -> Self {
        let text = text.trim();
        let by_name = NAMES.iter().find(|(name, _)| *name == text);
        let known = match (by_name, text.strip_prefix('#'), text.split_once('(')) {
            _ if text == "transparent" => Some(Self::Transparent),
            (Some((_, number)), _, _) => hexadecimal(&format!("{number:06x}")),
            (_, Some(digits), _) => hexadecimal(digits),
            (_, _, Some((function, arguments))) => of_function(function, arguments),
            _ => None,
        };
        known.unwrap_or_else(|| Self::other(text))
    }

    /// A colour or picture by how it is written, of which only the start is kept.
    pub(super) fn other(text: &str) -> Self {
        Self::Other(first_bytes(text, MAX_WRITTEN_BYTES).to_owned())
    }

    /// Reads the value of `background`: its colour, unless a picture covers it.
    pub(super) fn of_background(text: &str) -> Self {
        if text.contains("url(") || text.contains("gradient(") || text.contains("image") {
            return Self::other(text);
        }
        let whole = Self::of(text);
        let known = |it: &Self| !matches!(it, Self::Other(_));
        let mut parts = text.split_whitespace().map(Self::of);
        match known(&whole) {
            true => whole,
            false => parts.find(known).unwrap_or(whole),
        }
    }

    /// Whether a text of this colour is not seen on this background.
    pub(super) fn is_unseen_on(&self, background: &Self) -> bool {
        match (self, background) {
            (Self::Transparent, _) => true,
            (Self::Rgb(text), Self::Rgb(background)) => {
                text.iter().zip(background).all(|(a, b)| a.abs_diff(*b) < SAME)
            }
            (text, background) => text == background,
        }
    }
}

/// `fff`, `ffffff`, and both with an opacity.
fn hexadecimal(digits: &str) -> Option<Color> {
    let digits: Option<Vec<u8>> = digits
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|it| u8::try_from(it).ok()))
        .collect();
    let channels: Vec<u8> = match digits? {
        short if matches!(short.len(), 3 | 4) => short.iter().map(|digit| digit * 17).collect(),
        long if matches!(long.len(), 6 | 8) => long.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect(),
        _ => return None,
    };
    let opacity = channels.get(3).map_or(1.0, |it| f64::from(*it) / 255.0);
    Some(with_opacity([channels[0], channels[1], channels[2]], opacity))
}

/// `rgb(255, 255, 255)`, `rgba(0 0 0 / 0)`, `hsl(0, 0%, 100%)`.
fn of_function(function: &str, arguments: &str) -> Option<Color> {
    let arguments = arguments.strip_suffix(')')?;
    let parts: Vec<&str> = arguments
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '/'))
        .filter(|part| !part.is_empty())
        .collect();
    let &[a, b, c, ref rest @ ..] = parts.as_slice() else {
        return None;
    };
    let opacity = rest.first().map_or(Some(1.0), |it| share(it, 1.0))?;
    let channels = match function {
        "rgb" | "rgba" => [share(a, 255.0)?, share(b, 255.0)?, share(c, 255.0)?].map(|it| it * 255.0),
        "hsl" | "hsla" => {
            let hue: f64 = a.trim_end_matches("deg").parse().ok()?;
            let (saturation, light) = (share(b, 100.0)?, share(c, 100.0)?);
            let reach = saturation * light.min(1.0 - light);
            [0.0, 8.0, 4.0].map(|turn| {
                let at = (turn + hue / 30.0).rem_euclid(12.0);
                (light - reach * (at - 3.0).min(9.0 - at).clamp(-1.0, 1.0)) * 255.0
            })
        }
        _ => return None,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a byte"
    )]
    let channels = channels.map(|it| it.round().clamp(0.0, 255.0) as u8);
    Some(with_opacity(channels, opacity))
}

/// A number as a share of the whole; `%` is always of a hundred.
fn share(text: &str, whole: f64) -> Option<f64> {
    match text.strip_suffix('%') {
        Some(percent) => Some(percent.parse::<f64>().ok()? / 100.0),
        None => Some(text.parse::<f64>().ok()? / whole),
    }
}

fn with_opacity(channels: [u8; 3], opacity: f64) -> Color {
    match opacity < LEAST_OPACITY {
        true => Color::Transparent,
        false => Color::Rgb(channels),
    }
}

#[cfg(test)]
mod tests {
    use super::Color;

    #[test]
    fn one_colour_is_written_in_many_ways() {
        for text in [
            "white",
            "#fff",
            "#ffff",
            "#fefefe",
            "rgb(255,255,255)",
            "rgb(100% 100% 100% / 90%)",
            "rgba(250, 250, 250, 1)",
            "hsl(120deg, 40%, 100%)",
            "snow",
        ] {
            assert!(Color::of(text).is_unseen_on(&Color::WHITE), "{text}");
            assert!(!Color::of(text).is_unseen_on(&Color::BLACK), "{text}");
        }
        for text in ["transparent", "rgba(0,0,0,0)", "#0000", "rgb(1 2 3 / 1%)"] {
            assert!(Color::of(text).is_unseen_on(&Color::of("#123456")), "{text}");
        }
        assert_eq!(Color::of("hsl(210, 50%, 40%)"), Color::Rgb([51, 102, 153]));
    }

    #[test]
    fn what_is_not_known_is_only_like_itself() {
        for text in ["tomato", "var(--ink)", "rgb(1,2)", "#12", "url(a.png)"] {
            assert!(!Color::of(text).is_unseen_on(&Color::WHITE), "{text}");
            assert!(Color::of(text).is_unseen_on(&Color::of(text)), "{text}");
        }
        let picture = Color::of_background("#fff url(a.png)");
        assert!(!Color::WHITE.is_unseen_on(&picture));
        assert!(Color::WHITE.is_unseen_on(&Color::of_background("#fff no-repeat")));
        let long = "x".repeat(100_000);
        for color in [Color::of(&long), Color::of_background(&format!("url({long})"))] {
            assert!(
                matches!(&color, Color::Other(text) if text.len() <= 64),
                "each open element keeps a copy"
            );
        }
    }
}
