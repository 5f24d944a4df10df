//! The tools, one file each, with its `definition` and its `call`.

mod agent;
mod batch_answer;
mod batch_poll;
mod batch_submit;
mod call;
mod inbox;
mod pipeline_start;
mod research;
mod run_cancel;
mod run_pause;
mod run_result;
mod run_status;
mod schema;
mod tool_name;

pub(crate) use call::McpToolCall;
pub(crate) use tool_name::ToolName;
