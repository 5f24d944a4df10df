//! The status line: the current activity and the usage.

use gemicro_chat::Meter;
use ratatui::text::{Line, Span};

use super::state::{Activity, ScreenState};
use crate::chat::words;
use crate::screen::{numbers, text};

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Duration of one frame of the spinner.
pub(super) const SPIN_MS: u64 = 120;
/// Width of the bar.
const BAR: u64 = 8;
/// Percentage from which the prompt counts as nearly full.
const NEARLY_FULL: u64 = 85;
const BETWEEN: &str = " · ";

impl ScreenState {
    /// Lays out the line.
    pub(super) fn status(&self, columns: usize) -> Line<'static> {
        let left = text::cut(&self.activity(), columns);
        let room = columns.saturating_sub(text::width(&left) + 2);
        let left_style = if self.hint.is_some() {
            self.theme.warn()
        } else {
            self.theme.faint()
        };
        let Some(meter) = &self.meter else {
            return Line::styled(left, left_style);
        };
        let used = meter_text(meter, room);
        let gap = columns.saturating_sub(text::width(&left) + text::width(&used));
        let is_nearly_full = words::percent(meter.prompt_tokens, meter.max_prompt_tokens) >= NEARLY_FULL;
        let style = if is_nearly_full {
            self.theme.warn()
        } else {
            self.theme.faint()
        };
        Line::from(vec![
            Span::styled(left, left_style),
            Span::raw(" ".repeat(gap)),
            Span::styled(used, style),
        ])
    }

    fn activity(&self) -> String {
        if let Some(hint) = self.hint {
            return hint.to_owned();
        }
        let words = |verb: &str, since| {
            let elapsed = u64::try_from(self.now.saturating_sub(since).as_millis()).unwrap_or(u64::MAX);
            let picture = usize::try_from(elapsed / SPIN_MS).unwrap_or(0) % SPINNER.len();
            format!("{} {verb} {}", SPINNER[picture], numbers::duration(elapsed))
        };
        match &self.activity {
            Activity::Idle => "ready".to_owned(),
            Activity::Sent(_) => "sending".to_owned(),
            Activity::Answering { .. } if !self.questions.is_empty() => "waiting for your answer".to_owned(),
            Activity::Answering { since, .. } => words("answering", *since),
            Activity::Stopping { since, .. } => words("stopping", *since),
            Activity::Closing => "leaving… (Ctrl-C: at once)".to_owned(),
            Activity::Over => "over".to_owned(),
        }
    }
}

/// As much of the meter as fits, the most important first; the bar is dropped before any text.
fn meter_text(meter: &Meter, room: usize) -> String {
    let mut parts = words::meter(meter);
    let filled = words::percent(meter.prompt_tokens, meter.max_prompt_tokens) * BAR / 100;
    let bar: String = (0..BAR)
        .map(|cell| if cell < filled { '█' } else { '░' })
        .collect();
    let with_bar: Vec<String> = std::iter::once(format!("{bar} {}", parts[0]))
        .chain(parts.iter().skip(1).cloned())
        .collect();
    let whole = with_bar.join(BETWEEN);
    if text::width(&whole) <= room {
        return whole;
    }
    while !parts.is_empty() {
        let words = parts.join(BETWEEN);
        if text::width(&words) <= room {
            return words;
        }
        parts.pop();
    }
    String::new()
}
