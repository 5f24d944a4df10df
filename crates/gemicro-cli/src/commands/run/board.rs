//! Draws the progress of a pipeline at the bottom of a terminal, and redraws it in place.
//!
//! [`PhaseBoard`] draws; [`rows`] decides what. There is no board if stderr is not a terminal, or a narrow one: the log
//! has the same information. A terminal that is made narrower wraps the rows on it, so erasing uses the current width.

use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use gemicro_event::{Charge, Timestamp};

use crate::output;
use crate::screen::{Paint, Screen, text};
use crate::signals::{self, AtOnce};
use crate::story::{PhaseState, PhaseStory, PipelineStory};

/// Minimum width of a terminal for a board.
const LEAST_COLUMNS: usize = 60;
/// Width for the running phase.
const MOST_NAME: usize = 40;
const TICK: Duration = Duration::from_millis(100);
const SPINNER: [&str; 8] = ["⣾", "⣽", "⣻", "⢿", "⡿", "⣟", "⣯", "⣷"];

/// Draws a board on stderr.
pub(super) struct PhaseBoard {
    drawing: Arc<Mutex<BoardDrawing>>,
    /// The task that redraws as time passes; it ends when there is no board.
    ticking: Option<JoinHandle<()>>,
    _at_once: AtOnce,
}

/// The state to draw, and what is on the screen.
struct BoardDrawing {
    screen: Screen,
    /// `None` while there is no board.
    story: Option<PipelineStory>,
    /// The widths of the rows on the screen; the cursor is after the last one.
    drawn: Vec<usize>,
    n_ticks: usize,
    /// Whether the process is ending and nothing may be drawn any more.
    is_over: bool,
}

impl PhaseBoard {
    /// A board, if there is room for one.
    pub(super) fn new(screen: &Screen) -> Option<Self> {
        let has_room = screen.stderr_is_terminal && screen.stderr_width() >= LEAST_COLUMNS;
        has_room.then(|| {
            let drawing = Arc::new(Mutex::new(BoardDrawing {
                screen: screen.clone(),
                story: None,
                drawn: Vec::new(),
                n_ticks: 0,
                is_over: false,
            }));
            let cleared = Arc::clone(&drawing);
            Self {
                drawing,
                ticking: None,
                _at_once: signals::at_once(move || lock(&cleared).clear()),
            }
        })
    }

    /// Draws the current state of the pipeline.
    pub(super) fn draw(&mut self, story: &PipelineStory) {
        let mut drawing = lock(&self.drawing);
        drawing.story = Some(story.clone());
        drawing.redraw("");
        drop(drawing);
        if self.ticking.is_none() {
            let drawing = Arc::clone(&self.drawing);
            self.ticking = Some(std::thread::spawn(move || tick(&drawing)));
        }
    }

    /// Writes lines above the board.
    pub(super) fn say(&self, words: &str) {
        let mut drawing = lock(&self.drawing);
        match drawing.drawn.is_empty() {
            true => output::say(words),
            false => drawing.redraw(&format!("{words}\n")),
        }
    }

    /// Removes the board from the screen.
    pub(super) fn remove(&mut self) {
        let mut drawing = lock(&self.drawing);
        drawing.story = None;
        drawing.redraw("");
        drop(drawing);
        if let Some(ticking) = self.ticking.take() {
            ticking.thread().unpark();
            let _ = ticking.join();
        }
    }
}

impl Drop for PhaseBoard {
    fn drop(&mut self) {
        self.remove();
    }
}

fn lock(drawing: &Mutex<BoardDrawing>) -> MutexGuard<'_, BoardDrawing> {
    drawing.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tick(drawing: &Mutex<BoardDrawing>) {
    loop {
        std::thread::park_timeout(TICK);
        let mut drawing = lock(drawing);
        if drawing.story.is_none() {
            return;
        }
        drawing.n_ticks += 1;
        drawing.redraw("");
    }
}

impl BoardDrawing {
    /// Removes everything from the screen permanently.
    fn clear(&mut self) {
        self.story = None;
        self.redraw("");
        self.is_over = true;
    }

    /// Erases the board, writes lines in its place, and draws it below them.
    fn redraw(&mut self, above: &str) {
        if self.is_over {
            return;
        }
        let columns = self.screen.stderr_width();
        let (plain, painted) = match &self.story {
            Some(story) if columns >= LEAST_COLUMNS => {
                let board = |paint| board(story, paint, columns.saturating_sub(1), self.n_ticks);
                (board(Paint::new(false)), board(self.screen.on_stderr()))
            }
            Some(_) | None => (Vec::new(), Vec::new()),
        };
        let page = format!("{}{above}{}", erase(&self.drawn, columns), painted.join("\n"));
        self.drawn = plain.iter().map(|row| text::width(row)).collect();
        // If the terminal was closed, this is not seen anyway.
        let mut stderr = std::io::stderr().lock();
        let _ = stderr.write_all(page.as_bytes()).and_then(|()| stderr.flush());
    }
}

/// Moves to the first of these rows, as a terminal of this width shows them, and clears from there on.
pub(super) fn erase(drawn: &[usize], columns: usize) -> String {
    let lines = drawn.iter().map(|width| width.div_ceil(columns.max(1)).max(1));
    match lines.sum::<usize>() {
        0 => String::new(),
        1 => "\r\x1b[J".to_owned(),
        n_lines => format!("\r\x1b[{}A\x1b[J", n_lines - 1),
    }
}

/// The rows of phases, and below them the running phase with its time.
fn board(story: &PipelineStory, paint: Paint, columns: usize, n_ticks: usize) -> Vec<String> {
    let name = running_line(story);
    let phase = story.last().filter(|phase| phase.outcome.is_none());
    let elapsed = phase.map_or(0, |phase| phase.worked_ms(Timestamp::now())) / 1_000;
    let line = format!(
        "{} {} {:02}:{:02}:{:02} {}",
        SPINNER[n_ticks % SPINNER.len()],
        text::cut(&name, MOST_NAME),
        elapsed / 3600,
        elapsed / 60 % 60,
        elapsed % 60,
        spent_line(story)
    );
    let mut rows = rows(story, paint, columns);
    rows.push(text::cut(line.trim_end(), columns));
    rows
}

/// The phases and their markers, in as many rows as needed.
pub(super) fn rows(story: &PipelineStory, paint: Paint, columns: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let mut used = columns;
    for (mark, name) in marks(story) {
        let width = 2 + text::width(&name);
        let painted = match mark {
            "●" => paint.good(mark),
            "✗" => paint.bad(mark),
            "◐" | "→" => paint.warn(mark),
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

/// The name of the running phase.
pub(super) fn running_line(story: &PipelineStory) -> String {
    match story.last().filter(|phase| phase.outcome.is_none()) {
        Some(phase) => {
            let who = phase
                .role
                .as_ref()
                .map_or_else(String::new, |role| format!(", {role}"));
            format!("{} {}{who}", phase.label, with_round(phase))
        }
        None if story.prepared.is_none() => "preparing the branch".to_owned(),
        None => "between two phases".to_owned(),
    }
}

/// The total cost so far.
pub(super) fn spent_line(story: &PipelineStory) -> String {
    let charges = story.phases.iter().map(|phase| phase.charge);
    let sum = charges.fold(Charge::ZERO, Charge::plus);
    sum.in_short().unwrap_or_default()
}

/// The phases, starting with the first one entered, each with its marker.
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
                let mark = match it.phase_state() {
                    PhaseState::UnderWay => "◐",
                    PhaseState::Good => "●",
                    PhaseState::LedOn => "→",
                    PhaseState::Bad => "✗",
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
