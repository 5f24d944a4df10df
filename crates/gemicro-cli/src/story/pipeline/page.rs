//! Shows a pipeline on one screen: where it worked, then every phase with role, verdict, reasons, commits and checks.

use std::fmt::Write as _;

use gemicro_engine::pipeline::steps::MergeOutcome;

use super::{GateStory, Pace, PhaseState, PhaseStory, PipelineStory, words};
use crate::screen::{Paint, numbers, text};

/// Maximum number of reasons, denials and files listed for one phase.
const MANY: usize = 6;
/// Maximum number of lines for each of them.
const MOST_LINES: usize = 4;
/// Indent of the details of a phase.
const INDENT: usize = 9;

/// The facts besides the phases, each with its label.
pub(crate) fn facts(story: &PipelineStory) -> Vec<(&'static str, String)> {
    let at = story.tip.as_deref().map(words::short);
    let at = at.map_or_else(String::new, |tip| format!(" at {tip}"));
    let mut facts = vec![
        ("Project", story.directory.clone()),
        ("Mode", story.mode.clone()),
        ("Branch", format!("{}{at}", story.branch)),
    ];
    if let Some(prepared) = &story.prepared {
        let base = words::short(&prepared.base);
        facts.push(("Base", format!("{base}, for {}", prepared.main.name)));
        if let Some(earlier) = &story.goes_on_from {
            let tip = words::short(&prepared.tip);
            facts.push(("From", format!("{tip}, continuing run {earlier}")));
        }
        if !prepared.evidence.checks.is_empty() {
            let checked = words::checks(&prepared.evidence.checks);
            facts.push(("", format!("checks on it: {checked}")));
        }
        facts.extend(prepared.protection.iter().map(|words| ("Remote", words.clone())));
        let is_new = |note: &&String| prepared.protection.as_ref() != Some(*note);
        let notes = prepared.notes.iter().filter(is_new);
        facts.extend(notes.map(|note| ("Note", note.clone())));
    }
    let passed = story.gates.iter().filter_map(GateStory::words);
    facts.extend(passed.map(|words| ("Gate", words)));
    facts.extend(story.question.iter().map(|question| ("Asks", question.clone())));
    facts.extend(story.worktree.iter().map(|folder| ("Worktree", folder.clone())));
    facts.extend(
        story
            .reports
            .iter()
            .take(MANY)
            .map(|report| ("Inspect", report.clone())),
    );
    if let Some(delivered) = &story.delivered {
        let pushed = delivered.remote.iter();
        facts.extend(pushed.map(|remote| {
            (
                "Pushed",
                format!("to {remote}, at {}", words::short(&delivered.commit)),
            )
        }));
        facts.extend(delivered.url.iter().map(|url| ("Request", url.clone())));
        facts.extend(delivered.notes.iter().map(|note| ("Note", note.clone())));
    }
    facts
}

/// The phases, in the order in which they were entered.
pub(crate) fn phases(story: &PipelineStory, paint: Paint, columns: usize) -> String {
    let room = columns.saturating_sub(INDENT + 2);
    let widest = |width: &dyn Fn(&PhaseStory) -> usize| story.phases.iter().map(width).max().unwrap_or(0);
    let widest_name = |figures| widest(&|phase| text::width(&name(phase, figures)));
    let whole_tail = widest(&|phase| text::width(&tail(phase, story.pace).join("  ")));
    // What the terminal would break gets a line of its own.
    let figures = match widest_name(PhaseFigures::Beside) + whole_tail <= room {
        true => PhaseFigures::Beside,
        false => PhaseFigures::Below,
    };
    let mut page = PipelinePage {
        text: String::new(),
        paint,
        columns,
        figures,
        pace: story.pace,
    };
    let outcome = widest(&|phase| text::width(&tail(phase, story.pace)[0]));
    let name_width = widest_name(figures).min(room.saturating_sub(outcome).max(8));
    for phase in &story.phases {
        page.phase(phase, name_width);
    }
    page.text
}

/// The place of a phase's model, time and cost.
#[derive(Clone, Copy)]
enum PhaseFigures {
    Beside,
    Below,
}

struct PipelinePage {
    text: String,
    paint: Paint,
    columns: usize,
    figures: PhaseFigures,
    pace: Pace,
}

impl PipelinePage {
    fn phase(&mut self, phase: &PhaseStory, widest: usize) {
        let mark = match phase.phase_state() {
            PhaseState::UnderWay => match self.pace {
                Pace::Working => "•".to_owned(),
                Pace::Waiting => self.paint.warn("‖"),
                Pace::Over => self.paint.bad("✗"),
            },
            PhaseState::Good => self.paint.good("✓"),
            PhaseState::LedOn => self.paint.warn("→"),
            PhaseState::Bad => self.paint.bad("✗"),
        };
        let [outcome, figures] = tail(phase, self.pace);
        let beside = match self.figures {
            PhaseFigures::Beside => format!("{outcome}  {}", self.paint.faint(&figures)),
            PhaseFigures::Below => text::cut(&outcome, self.columns.saturating_sub(INDENT + widest + 2)),
        };
        let line = format!(
            "  {mark} {} {}  {beside}",
            text::pad(&text::cut(&phase.label, 4), 4),
            text::pad(&text::cut(&name(phase, self.figures), widest), widest),
        );
        let _ = writeln!(self.text, "{}", line.trim_end());
        if let PhaseFigures::Below = self.figures {
            let model = phase.model.iter().filter(|_| phase.agent.is_some()).cloned();
            let used: Vec<String> = model.chain((!figures.is_empty()).then_some(figures)).collect();
            self.detail("used", &used.join(", "));
        }
        self.details(phase);
    }

    fn details(&mut self, phase: &PhaseStory) {
        let said = phase
            .verdict
            .as_deref()
            .filter(|said| phase.outcome.as_deref() != Some(*said));
        let is_verdict = |word: &&str| word.chars().all(|c| c.is_ascii_uppercase());
        if let Some(said) = said.filter(is_verdict) {
            self.detail("said", said);
        }
        self.several("because", &phase.reasons);
        if phase.reasons.is_empty() {
            let lines = phase.feedback.iter().flat_map(|feedback| feedback.lines());
            let points = lines.map(|line| line.trim().trim_start_matches(['-', '*']).trim());
            let points: Vec<String> = points.filter(|it| !it.is_empty()).map(str::to_owned).collect();
            let name = match phase.phase_state() {
                PhaseState::Good => "remarks",
                PhaseState::UnderWay | PhaseState::LedOn | PhaseState::Bad => "because",
            };
            self.several(name, &points);
        }
        self.several("asked again", &phase.asked_again);
        self.several("denied", &phase.denials);
        let is_reported = |why: &&String| phase.reasons.iter().any(|reason| reason.contains(why.as_str()));
        let refused: Vec<String> = phase
            .refused
            .iter()
            .filter(|why| !is_reported(why))
            .cloned()
            .collect();
        self.several("refused", &refused);
        if let Some(merged) = &phase.merged {
            let how = match merged.outcome {
                MergeOutcome::UpToDate => "has nothing new",
                MergeOutcome::Merged => "was merged",
                MergeOutcome::Conflict => "is in conflict with",
            };
            let files = text::one_line(&merged.files.join(", "));
            self.detail("main", format!("{} {how} {files}", merged.main.name).trim_end());
        }
        if let Some(taken) = phase.taken.as_ref().filter(|taken| !taken.commits.is_empty()) {
            self.detail("imported", &words::import_summary(taken));
            for (commit, subject) in taken.commits.iter().take(MANY) {
                self.detail("", &format!("{} {subject}", words::short(commit)));
            }
            if taken.commits.len() > MANY {
                self.detail("", &format!("… and {} more", taken.commits.len() - MANY));
            }
        }
        if let Some(taken) = &phase.taken {
            self.several("note", &taken.notes);
        }
        if !phase.checks.is_empty() {
            self.detail("checks", &words::checks(&phase.checks));
        }
        if let Some(document) = &phase.document {
            self.detail("document", document);
        }
        if !phase.memory.is_empty() {
            self.detail("notes", &phase.memory.join(", "));
        }
    }

    fn several(&mut self, name: &str, all: &[String]) {
        for (idx, words) in all.iter().take(MANY).enumerate() {
            self.detail(if idx == 0 { name } else { "" }, words);
        }
        if all.len() > MANY {
            self.detail("", &format!("… and {} more", all.len() - MANY));
        }
    }

    fn detail(&mut self, name: &str, words: &str) {
        const NAME: usize = 12;
        let room = self.columns.saturating_sub(INDENT + NAME).max(20);
        let wrapped = text::wrap_markdown(&text::one_line(words), room);
        let n_lines = wrapped.lines().count();
        for (idx, line) in wrapped.lines().take(MOST_LINES).enumerate() {
            let name = text::pad(if idx == 0 { name } else { "" }, NAME);
            let line = match idx + 1 == MOST_LINES && n_lines > MOST_LINES {
                true => text::cut(&format!("{line} …"), room),
                false => line.to_owned(),
            };
            let _ = writeln!(
                self.text,
                "{}{}{line}",
                " ".repeat(INDENT),
                self.paint.faint(&name)
            );
        }
    }
}

/// The outcome of a phase, and its cost.
fn tail(phase: &PhaseStory, pace: Pace) -> [String; 2] {
    let outcome = phase.outcome.as_deref().unwrap_or(match pace {
        Pace::Working => "under way",
        Pace::Waiting => "waits",
        Pace::Over => "not done",
    });
    let outcome = outcome.replace('_', " ");
    let time = phase.took_ms().map(numbers::duration);
    let figures: Vec<String> = time.into_iter().chain(phase.charge.in_short()).collect();
    [text::one_line(&outcome), figures.join(", ")]
}

/// `plan, round 2 · Architect (gemini)`.
fn name(phase: &PhaseStory, figures: PhaseFigures) -> String {
    let round = match phase.round {
        1 => String::new(),
        round => format!(", round {round}"),
    };
    let model = match figures {
        PhaseFigures::Beside => phase.model.as_deref(),
        PhaseFigures::Below => None,
    };
    let who = match (&phase.role, phase.agent) {
        (Some(role), Some(agent)) => format!(" · {role} ({})", words::agent(agent, model)),
        (Some(role), None) => format!(" · {role}"),
        (None, _) => String::new(),
    };
    text::one_line(&format!("{}{round}{who}", phase.phase))
}
