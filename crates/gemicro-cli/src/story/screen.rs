//! The story of a run on one screen: asked, happened, cost, stopped, sources, answer, next.

use std::fmt::Write as _;

use gemicro_core::research::RelatedPassage;
use gemicro_engine::INPUT_REQUIRED;
use gemicro_event::RunStatus;

use super::batch_tasks::tasks;
use super::cost::cost;
use super::merge_story::MergeStory;
use super::next::next;
use super::pipeline::{facts, phases};
use super::state_words::state_in_words;
use super::steps::{StepStanding, StepStory, kind_words};
use super::sub_query_story::SubQueryStory;
use super::{DIED, Story};
use crate::commands::batch::IN_PART;
use crate::screen::{Paint, Screen, numbers, text};
use crate::view::answer_markdown;

/// Lines of the answer that are shown.
const ANSWER_LINES: usize = 8;
/// Lines of the question that are shown.
const QUESTION_LINES: usize = 4;
/// Steps, alarms and skipped files that are named.
const MANY: usize = 12;
const LABEL: usize = 10;

pub(crate) fn tell(story: &Story, screen: &Screen) -> String {
    let page = StoryPage {
        story,
        paint: screen.on_stdout(),
        columns: screen.width(),
    };
    let sections = [
        page.head(),
        page.steps(),
        page.cost(),
        page.sources(),
        page.answer(),
        next(story, page.paint, page.columns),
    ];
    let sections: Vec<String> = sections
        .into_iter()
        .filter(|section| !section.is_empty())
        .collect();
    sections.join("\n")
}

struct StoryPage<'a> {
    story: &'a Story,
    paint: Paint,
    columns: usize,
}

impl StoryPage<'_> {
    fn head(&self) -> String {
        let story = self.story;
        let status = match story.status {
            _ if story.has_died => self.paint.bad(DIED),
            RunStatus::Completed if story.is_in_part() => self.paint.warn(IN_PART),
            RunStatus::Completed => self.paint.good(story.status.as_str()),
            RunStatus::Failed | RunStatus::Interrupted => self.paint.bad(story.status.as_str()),
            RunStatus::Running | RunStatus::Parked | RunStatus::Suspended if story.waits_for_person() => {
                self.paint.warn(INPUT_REQUIRED)
            }
            RunStatus::Running | RunStatus::Parked | RunStatus::Suspended | RunStatus::Cancelled => {
                self.paint.warn(story.status.as_str())
            }
        };
        let by = story.agent.as_ref().or(story.model.as_ref());
        let by = by.map_or_else(|| "no model (--offline)".to_owned(), |by| text::one_line(by));
        let mut page = format!(
            "{} · {} · {status}\n\n",
            self.paint.strong(&format!("Run {}", story.run)),
            text::one_line(&story.flow)
        );
        self.field(&mut page, "Asked", &first_lines(&story.question, QUESTION_LINES));
        let started = format!("{} UTC by {}", numbers::moment(story.started_at), story.program);
        self.field(&mut page, "Started", &started);
        let is_several = story.batch.is_some() || story.pipeline.is_some() || story.merge.is_some();
        if !is_several && (story.model.is_some() || !story.kind.is_about_tests) {
            self.field(&mut page, "Answered", &format!("by {by}"));
        }
        self.field(&mut page, "State", &state_in_words(story));
        if let Some(earlier) = &story.goes_on_from {
            self.field(&mut page, "After", &format!("run {earlier}"));
        }
        let of_pipeline = story.pipeline.iter().flat_map(facts);
        let of_merge = story.merge.iter().flat_map(MergeStory::facts);
        for (name, words) in of_pipeline.chain(of_merge).chain(story.remarks(MANY)) {
            self.field(&mut page, name, &words);
        }
        page
    }

    fn steps(&self) -> String {
        let story = self.story;
        if let Some(batch) = &story.batch {
            return self.title("Tasks") + &tasks(batch, self.paint, self.columns);
        }
        if let Some(pipeline) = story.pipeline.as_ref().filter(|it| !it.phases.is_empty()) {
            return self.title("What happened") + &phases(pipeline, self.paint, self.columns);
        }
        if let Some(merge) = &story.merge {
            return merge.page(self.paint, self.columns);
        }
        if story.steps.is_empty() {
            return String::new();
        }
        let mut page = self.title("What happened");
        let label = story
            .steps
            .iter()
            .map(|step| text::width(step.step.as_str()))
            .max()
            .unwrap_or(0)
            .min(24);
        // Where there are many, looking things up goes without saying.
        let is_aside = |step: &&StepStory| {
            let looks_up = matches!(step.kind.as_str(), "search" | "fetch");
            story.steps.len() > MANY && looks_up && step.standing == StepStanding::Completed
        };
        let failed_first = |step: &&StepStory| !matches!(step.standing, StepStanding::Failed(_));
        let mut shown: Vec<&StepStory> = story.steps.iter().filter(|step| !is_aside(step)).collect();
        if shown.len() > MANY {
            shown.sort_by_key(failed_first);
        }
        for step in shown.into_iter().take(MANY) {
            let _ = writeln!(page, "{}", self.step(step, label));
            if let Some(why) = self.sub_query_of(step).and_then(|it| it.error.as_ref()) {
                let indent = " ".repeat(label + 6);
                let _ = writeln!(
                    page,
                    "{indent}{}",
                    text::cut(why, self.columns.saturating_sub(label + 6))
                );
            }
        }
        if story.steps.len() > MANY {
            let _ = writeln!(
                page,
                "  … and {} more",
                numbers::count(story.steps.len() - MANY, "step")
            );
        }
        if story.n_resumed > 0 {
            let _ = writeln!(page, "  resumed {}", numbers::count(story.n_resumed, "time"));
        }
        page
    }

    fn step(&self, step: &StepStory, label: usize) -> String {
        let sub_query = self.sub_query_of(step);
        let is_unanswered = sub_query.is_some_and(|it| it.error.is_some()) || step.rejected.is_some();
        let mark = match (&step.standing, is_unanswered) {
            (StepStanding::Completed, true) | (StepStanding::Failed(_), _) => self.paint.bad("✗"),
            (StepStanding::Completed, false) => self.paint.good("✓"),
            (StepStanding::Started, _) => "•".to_owned(),
            (StepStanding::Waiting(_), _) => self.paint.warn("‖"),
        };
        let time = step.ended_at.map_or_else(String::new, |at| {
            numbers::duration(u64::try_from(at.since(step.started_at).as_millis()).unwrap_or(u64::MAX))
        });
        let facts = [
            sub_query
                .and_then(|it| it.n_sources)
                .map(|n_sources| numbers::count(n_sources, "source")),
            (step.attempts > 1).then(|| numbers::count(step.attempts as usize, "attempt")),
            step.charge.in_short(),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let end = format!("  {} {time:>7}", facts.join(", "));
        let name = text::pad(&text::cut(step.step.as_str(), label), label);
        let room = self.columns.saturating_sub(6 + label + text::width(&end)).max(8);
        let words = text::pad(&text::cut(&self.step_words(step, sub_query), room), room);
        format!("  {mark} {name}  {words}{end}")
    }

    fn step_words(&self, step: &StepStory, sub_query: Option<&SubQueryStory>) -> String {
        if let Some(it) = sub_query {
            return it.query.clone();
        }
        if let Some(reason) = &step.rejected {
            return format!("rejected: {reason}");
        }
        if let Some(found) = &step.found {
            return found.clone();
        }
        match (&step.standing, step.kind.as_str()) {
            (StepStanding::Failed(reason) | StepStanding::Waiting(reason), _) => reason.clone(),
            (StepStanding::Completed, "sources") => match &self.story.sources_read {
                Some(read) => format!(
                    "{}, {}",
                    numbers::count(read.n_documents, "document"),
                    numbers::bytes(read.n_bytes)
                ),
                None => String::new(),
            },
            (StepStanding::Completed, _) if step.step.as_str() == "decompose" => {
                numbers::count(self.story.sub_queries.len(), "sub-query")
            }
            (StepStanding::Completed, _) if step.step.as_str() == "synthesize" => {
                let n_sources = self
                    .story
                    .result
                    .as_ref()
                    .map_or(0, |result| result.citations.len());
                format!("report with {}", numbers::count(n_sources, "source"))
            }
            (StepStanding::Completed | StepStanding::Started, kind) => kind_words(kind).to_owned(),
        }
    }

    /// The sub-query a step belongs to; their events name both.
    fn sub_query_of(&self, step: &StepStory) -> Option<&SubQueryStory> {
        let place = self
            .story
            .sub_query_steps
            .iter()
            .position(|key| key.as_ref() == Some(&step.step))?;
        self.story.sub_queries.get(place)
    }

    fn cost(&self) -> String {
        let mut page = String::new();
        self.field(&mut page, "Cost", &cost(self.story));
        page
    }

    fn sources(&self) -> String {
        let story = self.story;
        let mut page = String::new();
        if story.n_pages != (0, 0) {
            let (fetched, not) = story.n_pages;
            let words = format!("{} fetched, {not} not", numbers::count(fetched, "page"));
            self.field(&mut page, "Web", &words);
        }
        let Some(read) = &story.sources_read else {
            if !story.sources.is_empty() {
                self.field(
                    &mut page,
                    "Sources",
                    &format!("{} (not read yet)", story.sources.join(", ")),
                );
            }
            return page;
        };
        let skipped = if read.n_skipped > 0 {
            format!(", {} skipped", read.n_skipped)
        } else {
            String::new()
        };
        let words = format!(
            "{} read from {}{skipped}",
            numbers::count(read.n_documents, "document"),
            if story.sources.is_empty() {
                "the earlier run".to_owned()
            } else {
                story.sources.join(", ")
            }
        );
        self.field(&mut page, "Sources", &words);
        for it in read.skipped.iter().take(3) {
            let line = format!("{}: {}", it.path, it.reason);
            let _ = writeln!(
                page,
                "{}- {}",
                " ".repeat(LABEL),
                text::cut(&line, self.columns.saturating_sub(LABEL + 2))
            );
        }
        if read.n_skipped > 3 {
            let _ = writeln!(
                page,
                "{}… and {} more",
                " ".repeat(LABEL),
                read.n_skipped - read.skipped.len().min(3)
            );
        }
        page
    }

    fn answer(&self) -> String {
        let words = match (&self.story.result, &self.story.failure) {
            (Some(result), _) => answer_markdown(result),
            (None, Some(failure)) => RelatedPassage::closest(&RelatedPassage::of_failure(failure)),
            (None, None) => String::new(),
        };
        if words.is_empty() || self.story.batch.is_some() || self.story.merge.is_some() {
            return String::new();
        }
        let mut page = self.title("Answer");
        let wrapped = text::wrap_markdown(words.trim(), self.columns.saturating_sub(2));
        let n_lines = wrapped.lines().count();
        for line in wrapped.lines().take(ANSWER_LINES) {
            let _ = writeln!(page, "{}", format!("  {line}").trim_end());
        }
        if n_lines > ANSWER_LINES {
            let _ = writeln!(
                page,
                "  … {}",
                numbers::count(n_lines - ANSWER_LINES, "more line")
            );
        }
        page
    }

    fn title(&self, words: &str) -> String {
        format!("{}\n", self.paint.strong(words))
    }

    fn field(&self, page: &mut String, name: &str, value: &str) {
        let room = self.columns.saturating_sub(LABEL);
        let wrapped = text::wrap_markdown(&text::one_line(value), room);
        for (idx, line) in wrapped.lines().enumerate() {
            let name = if idx == 0 { name } else { "" };
            let name = text::pad(name, LABEL);
            let _ = writeln!(page, "{}{line}", self.paint.strong(&name));
        }
    }
}

fn first_lines(words: &str, n_lines: usize) -> String {
    let kept: Vec<&str> = words.lines().take(n_lines).collect();
    let more = if words.lines().count() > n_lines {
        " …"
    } else {
        ""
    };
    text::cut(&format!("{}{more}", kept.join(" ")), 600)
}
