//! What the owner tells a running pipeline: the command `instruct`, and the text that agents get.

use gemicro_core::command::AgentCommand;
use gemicro_event::{AgentUpdate, Timestamp};
use serde::Deserialize;

use super::events::OwnerInstructed;
use super::state::PipelineState;

/// The command that gives agents the owner's words, from the next step on.
pub const INSTRUCT: &str = "instruct";
/// Maximum size of one instruction, in bytes.
const MOST_BYTES: usize = 8 << 10;
/// Maximum number of instructions in a run.
const MOST_INSTRUCTIONS: usize = 32;

#[derive(Deserialize)]
struct Instruction {
    text: String,
    #[serde(default)]
    by: Option<String>,
}

/// The event for a command of pipelines, or why the command is rejected.
pub(super) fn handle_command(
    state: &PipelineState,
    command: &AgentCommand,
    at: Timestamp,
) -> Result<Vec<AgentUpdate>, String> {
    if command.command_type != INSTRUCT {
        return Err(format!(
            "a pipeline does not know the command {}",
            command.command_type
        ));
    }
    let Instruction { text, by } = command.data.parse().map_err(|error| error.to_string())?;
    if text.trim().is_empty() {
        return Err("the instruction is empty".to_owned());
    }
    if text.len() > MOST_BYTES {
        return Err(format!("the instruction has more than {} KiB", MOST_BYTES >> 10));
    }
    if state.instructions.len() >= MOST_INSTRUCTIONS {
        return Err(format!(
            "the run already has {MOST_INSTRUCTIONS} instructions, its limit"
        ));
    }
    // Carried out before a crash, but not yet acknowledged.
    if state
        .instructions
        .iter()
        .any(|it| it.command_id == command.command_id)
    {
        return Ok(Vec::new());
    }
    let command_id = command.command_id.clone();
    let fact = OwnerInstructed { command_id, text, by };
    Ok(vec![AgentUpdate::new(&fact, at)])
}

/// Everything that the owner wrote for agents: the notes file, then the instructions.
pub(super) fn owner_notes(state: &PipelineState) -> Option<String> {
    let notes = state.notes.iter().map(|text| text.trim_end().to_owned());
    let said = state.instructions.iter().map(|it| it.text.trim().to_owned());
    let all: Vec<String> = notes.chain(said).filter(|text| !text.is_empty()).collect();
    (!all.is_empty()).then(|| all.join("\n\n"))
}
