//! What every store promises, written once. An engine joins with one line in `contract!` below.

mod appends;
mod bytes;
mod commands;
mod fences;
mod leases;
mod snapshots;
mod subscribe;

use std::sync::Arc;

use gemicro_core::store::{MemoryStore, Store};

macro_rules! contract {
    ($($module:ident: $($test:ident),+;)+) => {
        /// The store in memory, the durable one's twin.
        mod memory {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::$module::$test(super::memory_store()).await;
                }
            )+)+
        }

        mod sqlite {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    let folder = crate::make::folder();
                    let store = crate::make::open(&folder.path().join("home")).await;
                    super::$module::$test(std::sync::Arc::new(store)).await;
                }
            )+)+
        }

        mod postgres {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    let server = crate::server::Server::start();
                    let store = server.store().await;
                    super::$module::$test(std::sync::Arc::new(store.clone())).await;
                    store.close().await;
                }
            )+)+
        }
    };
}

contract! {
    appends: seq_is_gap_free_under_16_appenders, creating_twice_is_refused, an_unknown_run_is_not_found,
        pages_follow_each_other, nothing_follows_the_end, an_append_is_all_or_nothing,
        of_two_racing_ends_one_wins, a_conversation_has_no_end, a_child_names_its_parent;
    fences: the_driver_needs_its_epoch, the_driver_needs_the_last_seq, an_executor_needs_the_running_attempt,
        outsiders_wait_for_the_lease, a_refused_append_leaves_no_running_step;
    leases: a_lease_is_taken_renewed_and_given_back, an_expired_lease_can_be_stolen, of_two_takers_one_wins,
        the_same_owner_may_take_it_again;
    commands: the_same_command_is_one_command, commands_come_oldest_first, an_ended_run_rejects_commands;
    subscribe: a_subscriber_sees_everything_once, a_subscriber_sees_commits_as_they_are_stored, a_late_subscriber_gets_the_suffix,
        subscribers_during_many_appends, subscribing_to_nothing_fails;
    bytes: any_data_comes_back_byte_equal, large_data_comes_back_byte_equal;
    snapshots: the_last_snapshot_is_kept;
}

fn memory_store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}
