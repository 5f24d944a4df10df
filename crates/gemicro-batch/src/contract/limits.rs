//! Size limits of a batch. A batch that exceeds one is refused as a whole.

/// Maximum size of a submitted batch, in bytes.
pub const MAX_BATCH_BYTES: usize = 64 << 20;
/// Maximum number of tasks in a batch.
pub const MAX_TASKS: usize = 100_000;
/// Maximum size of the parameters of one task, in bytes.
pub const MAX_TASK_PARAMETERS_BYTES: usize = 4 << 20;
/// Maximum size of the parameters of all tasks together, in bytes.
pub const MAX_PARAMETERS_BYTES: usize = 50 << 20;
/// Maximum size of the parameters of one task after references are resolved, in bytes.
pub const MAX_RESOLVED_BYTES: usize = 16 << 20;
/// Maximum number of tasks that one task may depend on.
pub const MAX_DEPENDENCIES: usize = 1_000;
/// Maximum number of dependencies in a batch.
pub const MAX_ALL_DEPENDENCIES: usize = 1_000_000;
/// Maximum size of a task id or a batch key, in bytes.
pub const MAX_ID_BYTES: usize = 128;
/// Maximum number of retries of a task.
pub const MAX_RETRIES: u32 = 20;
/// The latest deadline: 30 days.
pub const MAX_DEADLINE_SECONDS: u64 = 30 * 24 * 3_600;
