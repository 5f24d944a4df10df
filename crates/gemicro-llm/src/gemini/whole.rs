//! The text of an interaction that is there as a whole.

use gemicro_core::llm::Annotation;

use super::citation::{MOST, place};
use super::interaction::{Block, Citation, Interaction, Problem, Step};

/// What the model wrote.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) annotations: Vec<Annotation>,
}

/// A text block by reference.
type TextBlock<'a> = (&'a str, &'a [Citation]);

/// The answer by the rule of the official SDKs (`output_text`): the last unbroken run of text.
pub(super) fn last_run(steps: &[Step]) -> Written {
    let mut run: Vec<TextBlock<'_>> = Vec::new();
    'steps: for step in steps.iter().rev() {
        match step {
            Step::Input => break,
            Step::Thought => {}
            Step::Tool | Step::Unknown(_) => {
                if !run.is_empty() {
                    break;
                }
            }
            Step::Output { blocks, .. } => {
                for block in blocks.iter().rev() {
                    match block {
                        Block::Text { text, citations } => run.push((text, citations)),
                        Block::Media if run.is_empty() => {}
                        Block::Media => break 'steps,
                    }
                }
            }
        }
    }
    run.reverse();
    join(&run)
}

/// Everything the model wrote since the last input, as a stream would have given it.
pub(super) fn all_runs(steps: &[Step]) -> Written {
    let last_input = steps.iter().rposition(|step| *step == Step::Input);
    let since = &steps[last_input.map_or(0, |place| place + 1)..];
    let mut run: Vec<TextBlock<'_>> = Vec::new();
    for step in since {
        if let Step::Output { blocks, .. } = step {
            for block in blocks {
                if let Block::Text { text, citations } = block {
                    run.push((text, citations));
                }
            }
        }
    }
    join(&run)
}

/// Everything an interaction calls an error.
pub(super) fn problems(interaction: &Interaction) -> Vec<Problem> {
    let in_steps = interaction.steps.iter().filter_map(|step| match step {
        Step::Output { problem, .. } => problem.clone(),
        _ => None,
    });
    interaction.problems.iter().cloned().chain(in_steps).collect()
}

fn join(run: &[TextBlock<'_>]) -> Written {
    let text: String = run.iter().map(|(text, _)| *text).collect();
    let mut annotations = Vec::new();
    let mut start = 0;
    for (block, citations) in run {
        let range = start..start + block.len();
        let placed = citations
            .iter()
            .filter_map(|citation| place(citation, &range, &text));
        annotations.extend(placed.take(MOST - annotations.len()));
        start = range.end;
    }
    Written { text, annotations }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(texts: &[&str]) -> Step {
        let block = |text: &&str| match *text {
            "<image>" => Block::Media,
            text => Block::Text {
                text: text.to_owned(),
                citations: Vec::new(),
            },
        };
        Step::Output {
            blocks: texts.iter().map(block).collect(),
            problem: None,
        }
    }

    #[test]
    fn the_answer_is_the_last_unbroken_run_of_text() {
        let steps = [
            Step::Input,
            output(&["I will search."]),
            Step::Tool,
            output(&["<image>", "a", "b"]),
            Step::Thought,
            output(&["c", "<image>"]),
            Step::Tool,
        ];
        assert_eq!(last_run(&steps).text, "abc");
        assert_eq!(all_runs(&steps).text, "I will search.abc");
        assert_eq!(last_run(&steps[..3]).text, "I will search.");
        assert_eq!(last_run(&steps[..1]).text, "");
        let turns = [output(&["old"]), Step::Input, output(&["new"])];
        assert_eq!(last_run(&turns).text, "new");
        assert_eq!(all_runs(&turns).text, "new");
    }
}
