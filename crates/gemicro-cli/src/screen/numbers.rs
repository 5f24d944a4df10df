//! Formats numbers, times and amounts for people.

use std::time::Duration;

use gemicro_event::Timestamp;

pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 document`, `2 documents`, `2 sub-queries`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    let number = thousands(n as u64);
    match (n, noun.strip_suffix('y')) {
        (1, _) => format!("{number} {noun}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {noun}s"),
    }
}

/// `0.2s`, `23.4s`, `2m 05s`, `3h 07m`.
pub(crate) fn duration(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..60 => format!("{}.{}s", seconds, ms % 1_000 / 100),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3_600, seconds / 60 % 60),
    }
}

/// `512 B`, `48 kB`, `1.2 GB`.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [(&str, u64); 4] = [
        ("TB", 1_000_000_000_000),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
        ("kB", 1_000),
    ];
    match UNITS.iter().find(|(_, size)| n >= *size) {
        None => format!("{n} B"),
        Some((unit, size)) if n / size >= 10 => format!("{} {unit}", n / size),
        Some((unit, size)) => format!("{}.{} {unit}", n / size, n % size * 10 / size),
    }
}

/// `2026-11-15 09:30:00`, in UTC.
pub(crate) fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(..19).unwrap_or(&text).replace('T', " ")
}

/// `1.5G`, `500M`, `20k` or plain bytes.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let refuse = || format!("`{text}` is not a size: write it as 500M or 1.5G");
    let number = text.trim().trim_end_matches(['B', 'b']).trim_end_matches('i');
    let (number, unit) = match number.char_indices().last() {
        Some((at, 'k' | 'K')) => (&number[..at], 1e3),
        Some((at, 'M' | 'm')) => (&number[..at], 1e6),
        Some((at, 'G' | 'g')) => (&number[..at], 1e9),
        Some((at, 'T' | 't')) => (&number[..at], 1e12),
        Some(_) | None => (number, 1.0),
    };
    let amount: f64 = number.trim().parse().map_err(|_| refuse())?;
    if amount.is_finite() && amount >= 0.0 {
        Ok((amount * unit) as u64)
    } else {
        Err(refuse())
    }
}

/// `30d`, `12h`, `2w`, `90m`.
pub(crate) fn parse_age(text: &str) -> Result<Duration, String> {
    let refuse = || format!("`{text}` is not an age: write it as 30d, 12h or 2w");
    let text = text.trim();
    let unit_from = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(refuse)?;
    let (number, unit) = text.split_at(unit_from);
    let seconds: u64 = match unit {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        "y" => 31_536_000,
        _ => return Err(refuse()),
    };
    let number: u64 = number.parse().map_err(|_| refuse())?;
    number
        .checked_mul(seconds)
        .map(Duration::from_secs)
        .ok_or_else(refuse)
}
