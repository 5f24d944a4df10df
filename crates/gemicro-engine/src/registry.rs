//! All event kinds this program knows.

use gemicro_event::Registry;

/// The event kinds of every crate, for schemas and checks.
#[must_use]
pub fn event_registry() -> Registry {
    let mut registry = Registry::default();
    gemicro_core::run::events::register(&mut registry);
    gemicro_core::research::events::register(&mut registry);
    gemicro_core::ask::register(&mut registry);
    gemicro_core::history::register(&mut registry);
    gemicro_core::prompt::register(&mut registry);
    gemicro_batch::flow::register(&mut registry);
    gemicro_batch::proposal::register(&mut registry);
    gemicro_batch::strategy::register(&mut registry);
    gemicro_batch::ooda::register(&mut registry);
    gemicro_pipeline::flow::register(&mut registry);
    crate::dispatch::register(&mut registry);
    registry
}
