//! Extracts the text of a complete interaction.

use gemicro_core::llm::{Annotation, FunctionCall};

use super::citation::{MOST, place};
use super::interaction::{
    Interaction, InteractionBlock, InteractionCitation, InteractionProblem, InteractionStep,
};

#[derive(Debug, Default, PartialEq)]
pub(super) struct WrittenText {
    pub(super) text: String,
    pub(super) annotations: Vec<Annotation>,
}

/// A text block by reference.
type TextBlock<'a> = (&'a str, &'a [InteractionCitation]);

/// The answer as the official SDKs define it (`output_text`): the last unbroken run of text.
pub(super) fn last_run(steps: &[InteractionStep]) -> WrittenText {
    let mut run: Vec<TextBlock<'_>> = Vec::new();
    'steps: for step in steps.iter().rev() {
        match step {
            InteractionStep::Input => break,
            InteractionStep::Thought => {}
            InteractionStep::Tool | InteractionStep::FunctionCall(_) | InteractionStep::Unknown(_) => {
                if !run.is_empty() {
                    break;
                }
            }
            InteractionStep::Output { blocks, .. } => {
                for block in blocks.iter().rev() {
                    match block {
                        InteractionBlock::Text { text, citations } => run.push((text, citations)),
                        InteractionBlock::Media if run.is_empty() => {}
                        InteractionBlock::Media => break 'steps,
                    }
                }
            }
        }
    }
    run.reverse();
    join(&run)
}

/// All text of the model since the last input, as a stream would deliver it.
pub(super) fn all_runs(steps: &[InteractionStep]) -> WrittenText {
    let last_input = steps.iter().rposition(|step| *step == InteractionStep::Input);
    let since = &steps[last_input.map_or(0, |place| place + 1)..];
    let mut run: Vec<TextBlock<'_>> = Vec::new();
    for step in since {
        if let InteractionStep::Output { blocks, .. } = step {
            for block in blocks {
                if let InteractionBlock::Text { text, citations } = block {
                    run.push((text, citations));
                }
            }
        }
    }
    join(&run)
}

/// The function calls since the last input.
pub(super) fn function_calls(steps: &[InteractionStep]) -> Vec<FunctionCall> {
    let last_input = steps.iter().rposition(|step| *step == InteractionStep::Input);
    let since = steps[last_input.map_or(0, |place| place + 1)..].iter();
    since
        .filter_map(|step| match step {
            InteractionStep::FunctionCall(call) => Some(call.clone()),
            _ => None,
        })
        .collect()
}

/// All errors in an interaction.
pub(super) fn problems(interaction: &Interaction) -> Vec<InteractionProblem> {
    let in_steps = interaction.steps.iter().filter_map(|step| match step {
        InteractionStep::Output { problem, .. } => problem.clone(),
        _ => None,
    });
    interaction.problems.iter().cloned().chain(in_steps).collect()
}

fn join(run: &[TextBlock<'_>]) -> WrittenText {
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
    WrittenText { text, annotations }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(texts: &[&str]) -> InteractionStep {
        let block = |text: &&str| match *text {
            "<image>" => InteractionBlock::Media,
            text => InteractionBlock::Text {
                text: text.to_owned(),
                citations: Vec::new(),
            },
        };
        InteractionStep::Output {
            blocks: texts.iter().map(block).collect(),
            problem: None,
        }
    }

    #[test]
    fn the_answer_is_the_last_unbroken_run_of_text() {
        let steps = [
            InteractionStep::Input,
            output(&["I will search."]),
            InteractionStep::Tool,
            output(&["<image>", "a", "b"]),
            InteractionStep::Thought,
            output(&["c", "<image>"]),
            InteractionStep::Tool,
        ];
        assert_eq!(last_run(&steps).text, "abc");
        assert_eq!(all_runs(&steps).text, "I will search.abc");
        assert_eq!(last_run(&steps[..3]).text, "I will search.");
        assert_eq!(last_run(&steps[..1]).text, "");
        let turns = [output(&["old"]), InteractionStep::Input, output(&["new"])];
        assert_eq!(last_run(&turns).text, "new");
        assert_eq!(all_runs(&turns).text, "new");
    }
}
