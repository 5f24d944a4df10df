//! Scripts that take the place of Gemini CLI: one that answers, and ones that misbehave.

use std::os::unix::fs::PermissionsExt;

use anyhow::Result;

use super::world::FaultWorld;

#[derive(Debug, Clone, Copy)]
pub(crate) enum FaultyAgent {
    Good,
    Hang,
    Flood,
    Garbage,
    Empty,
}

impl FaultyAgent {
    /// What it does after it has read its prompt.
    fn body(self) -> &'static str {
        match self {
            Self::Good => "begin; sleep 0.05; answer",
            Self::Hang => "begin; sleep 60",
            Self::Flood => {
                "begin; yes '{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"more \",\"delta\":true}'"
            }
            Self::Garbage => "head -c 20000 /dev/urandom; echo; echo '{\"type\":'; sleep 0.2",
            Self::Empty => "sleep 0.2",
        }
    }
}

/// Puts a script in the agent's place; a process that runs the earlier one is not affected.
pub(crate) fn install(world: &FaultWorld, script: FaultyAgent) -> Result<()> {
    write(world, &format!("{HEAD}{}\n", script.body()))
}

pub(crate) fn write(world: &FaultWorld, text: &str) -> Result<()> {
    world.write("agents/new", text)?;
    let new = world.path("agents/new");
    std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755))?;
    Ok(std::fs::rename(new, world.path("agents/gemini"))?)
}

const HEAD: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then
    echo 0.61.0
    exit 0
fi
cat > /dev/null
begin() {
    session=$(cat /proc/sys/kernel/random/uuid)
    echo "{\"type\":\"init\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"session_id\":\"$session\",\"model\":\"script\"}"
}
answer() {
    echo '{"type":"message","timestamp":"2026-01-01T00:00:00Z","role":"assistant","content":"An honest answer.","delta":true}'
    echo '{"type":"result","timestamp":"2026-01-01T00:00:00Z","status":"success","stats":{}}'
}
"#;
