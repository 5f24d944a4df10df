//! Where a pipeline stands, drawn at the bottom of a terminal and redrawn in place.
//!
//! [`PhaseBoard`] draws; [`rows`] says what. It is not there where stderr is no terminal, or a narrow one: the log says
//! everything that it does.

use std::time::Duration;

use gemicro_event::{Charge, Timestamp};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::output;
use crate::screen::{Paint, Screen, numbers, text};
use crate::story::{PhaseStory, PipelineStory};

/// Narrower terminals have no board.
const LEAST_COLUMNS: usize = 60;
/// Columns for the phase under way.
const MOST_NAME: usize = 40;
const TICK: Duration = Duration::from_millis(100);
const SPINNER: &str = "⣾⣽⣻⢿⡿⣟⣯⣷ ";

/// Draws a board on stderr.
pub(super) struct PhaseBoard {
    screen: Screen,
    drawn: Option<Drawn>,
}

/// The lines that are on the screen.
struct Drawn {
    together: MultiProgress,
    phases: Vec<ProgressBar>,
    /// The phase under way, whose time runs.
    running: ProgressBar,
}

impl PhaseBoard {
    /// A board, where there is room for one.
    pub(super) fn new(screen: &Screen) -> Option<Self> {
        let has_room = screen.stderr_is_terminal && screen.stderr_width() >= LEAST_COLUMNS;
        has_room.then(|| Self {
            screen: screen.clone(),
            drawn: None,
        })
    }

    /// Draws where the pipeline stands now.
    pub(super) fn draw(&mut self, story: &PipelineStory) {
        let columns = self.screen.stderr_width().saturating_sub(1);
        let rows = rows(story, self.screen.on_stderr(), columns);
        if self
            .drawn
            .as_ref()
            .is_some_and(|drawn| drawn.phases.len() != rows.len())
        {
            self.remove();
        }
        let drawn = self.drawn.get_or_insert_with(|| Drawn::new(rows.len()));
        for (bar, row) in drawn.phases.iter().zip(rows) {
            bar.set_message(row);
        }
        drawn.run(story);
    }

    /// Writes lines above the board.
    pub(super) fn say(&self, words: &str) {
        match &self.drawn {
            Some(drawn) => drawn.together.suspend(|| output::say(words)),
            None => output::say(words),
        }
    }

    /// Takes the board from the screen.
    pub(super) fn remove(&mut self) {
        if let Some(drawn) = self.drawn.take() {
            drawn.running.finish_and_clear();
            drawn.phases.iter().for_each(ProgressBar::finish_and_clear);
        }
    }
}

impl Drawn {
    fn new(n_rows: usize) -> Self {
        let together = MultiProgress::new();
        let bar = |template: &str| {
            let bar = together.add(ProgressBar::new_spinner());
            let style = ProgressStyle::with_template(template);
            let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
            bar.set_style(style.tick_chars(SPINNER));
            bar
        };
        // Whatever is wider than the terminal is cut, also after it was made narrower.
        let phases = (0..n_rows).map(|_| bar("{wide_msg}")).collect();
        let running = bar("{spinner} {prefix} {elapsed_precise} {wide_msg}");
        running.enable_steady_tick(TICK);
        Self {
            together,
            phases,
            running,
        }
    }

    fn run(&self, story: &PipelineStory) {
        let (name, since) = running(story);
        self.running.set_prefix(text::cut(&name, MOST_NAME));
        if let Some(since) = since {
            self.running.set_elapsed(Timestamp::now().since(since));
        }
        self.running.set_message(spent(story));
    }
}

/// The phases and their marks, in as many rows as they need.
pub(super) fn rows(story: &PipelineStory, paint: Paint, columns: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let mut used = columns;
    for (mark, name) in marks(story) {
        let width = 2 + text::width(&name);
        let painted = match mark {
            "●" => paint.good(mark),
            "✗" => paint.bad(mark),
            "◐" => paint.warn(mark),
            other => paint.faint(other),
        };
        match rows.last_mut() {
            Some(row) if used + 2 + width <= columns => {
                *row += &format!("  {painted} {name}");
                used += 2 + width;
            }
            Some(_) | None => {
                rows.push(format!("{painted} {name}"));
                used = width;
            }
        }
    }
    rows
}

/// What is under way, and since when.
pub(super) fn running(story: &PipelineStory) -> (String, Option<Timestamp>) {
    match story.last().filter(|phase| phase.outcome.is_none()) {
        Some(phase) => {
            let who = phase
                .role
                .as_ref()
                .map_or_else(String::new, |role| format!(", {role}"));
            (
                format!("{} {}{who}", phase.label, with_round(phase)),
                Some(phase.started_at),
            )
        }
        None if story.prepared.is_none() => ("preparing the branch".to_owned(), None),
        None => ("between two phases".to_owned(), None),
    }
}

/// Everything that was spent so far.
pub(super) fn spent(story: &PipelineStory) -> String {
    let charges = story.phases.iter().map(|phase| phase.charge);
    let sum = charges.fold(Charge::ZERO, Charge::plus);
    numbers::charge(&sum).unwrap_or_default()
}

/// The phases from the one that was entered first, each with its mark.
fn marks(story: &PipelineStory) -> Vec<(&'static str, String)> {
    let entered = |name: &str| story.phases.iter().rev().find(|phase| phase.phase == name);
    let first = story
        .planned
        .iter()
        .position(|phase| entered(&phase.name).is_some());
    let planned = story.planned.iter().enumerate();
    planned
        .filter(|(idx, phase)| first.is_none_or(|first| *idx >= first) || entered(&phase.name).is_some())
        .map(|(_, phase)| match entered(&phase.name) {
            None => ("○", text::one_line(&phase.name)),
            Some(it) => {
                let mark = match &it.outcome {
                    None => "◐",
                    Some(_) if it.is_good() => "●",
                    Some(_) => "✗",
                };
                (mark, with_round(it))
            }
        })
        .collect()
}

fn with_round(phase: &PhaseStory) -> String {
    text::one_line(&match phase.round {
        1 => phase.phase.clone(),
        round => format!("{} ({round})", phase.phase),
    })
}
