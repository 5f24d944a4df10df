//! How much one batch may hold. What is larger is refused whole, before anything of it is read further.

/// Bytes of a submitted batch.
pub const MAX_BATCH_BYTES: usize = 64 << 20;
/// Tasks of a batch.
pub const MAX_TASKS: usize = 100_000;
/// Bytes of the parameters of one task.
pub const MAX_TASK_PARAMETERS_BYTES: usize = 4 << 20;
/// Bytes of the parameters of all tasks.
pub const MAX_PARAMETERS_BYTES: usize = 50 << 20;
/// Bytes of the parameters of one task after the outputs of other tasks were put in.
pub const MAX_RESOLVED_BYTES: usize = 16 << 20;
/// Tasks that one task may depend on.
pub const MAX_DEPENDENCIES: usize = 1_000;
/// Dependencies in a batch.
pub const MAX_ALL_DEPENDENCIES: usize = 1_000_000;
/// Bytes of a task's id, and of a batch's key.
pub const MAX_ID_BYTES: usize = 128;
/// Times that a task may be tried again.
pub const MAX_RETRIES: u32 = 20;
/// The latest deadline: 30 days.
pub const MAX_DEADLINE_SECONDS: u64 = 30 * 24 * 3_600;
