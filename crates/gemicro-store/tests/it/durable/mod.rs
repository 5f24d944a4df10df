//! What every durable store promises beyond the port: lists, upkeep, several handles. A test joins with one word in
//! `contract!` below.

mod boards;
mod damage;
pub(crate) mod dead_letters;
mod erase;
mod handles;
mod lists;
mod rebuild;
mod world;

pub(crate) use world::World;

macro_rules! contract {
    ($($module:ident: $($test:ident),+;)+) => {
        mod sqlite {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::$module::$test(&super::World::sqlite()).await;
                }
            )+)+
        }

        mod postgres {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    let world = super::World::postgres();
                    super::$module::$test(&world).await;
                }
            )+)+
        }
    };
}

contract! {
    boards: a_board_has_its_lines_in_order_and_counted, a_run_without_a_board_has_an_empty_one;
    lists: lists_are_newest_first_and_in_pages, a_line_follows_its_events,
        a_run_is_found_by_the_beginning_of_its_id, conversations_say_what_is_in_them;
    dead_letters: steps_that_failed_for_good_are_listed_newest_first,
        steps_that_another_run_could_not_fix_are_no_dead_letters,
        a_run_that_resubmits_takes_the_letters_of_its_parent_off_the_list,
        one_transaction_keeps_the_order_of_failure_and_resubmission;
    erase: an_erased_run_is_a_tombstone, a_run_that_is_worked_on_is_not_erased,
        a_blob_survives_an_erase_between_its_file_and_its_event, pruning_by_age_takes_old_ended_runs,
        pruning_by_size_takes_the_oldest_first, blobs_come_back_by_their_names;
    handles: other_writers_are_seen_within_half_a_second, after_the_end_there_is_nothing_to_wait_for,
        two_handles_keep_each_others_numbers, many_may_open_a_new_store_at_once, a_lease_holds_across_handles,
        a_lease_that_no_one_renews_ends_whatever_the_clock_says;
    damage: what_was_changed_behind_the_store_is_noticed_when_it_is_read,
        a_store_with_damage_is_checked_to_its_end, events_of_some_types_can_be_left_out;
    rebuild: lists_that_were_spoiled_are_made_again;
}
