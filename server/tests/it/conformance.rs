//! What every database has to do: one suite, which each kind of database passes.
//!
//! A case is a function of a [`Scene`]: two connections to one database, as two servers have them, and
//! a study that no other case uses. All cases share the database, one after the other.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cluster::cluster;
use server::storage::{self, Storage};

mod assignment;
mod blobs;
mod connection;
mod content;
mod identities;
mod logs;
mod outbox;
mod pay;
mod people;
mod recordings;
pub mod scene;
mod sealing;
mod sessions;
mod users;

use scene::Scene;

type Case = fn(Scene) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// Cases with their names.
macro_rules! cases {
    ($($module:ident: $($case:ident),*;)*) => {
        [$($((
            concat!(stringify!($module), "::", stringify!($case)),
            (|scene| Box::pin($module::$case(scene))) as Case,
        )),*),*]
    };
}

/// Has a database pass every case; `open` gives a new connection to it each time. Gives the number of
/// cases.
pub async fn check<F>(open: impl Fn() -> F) -> usize
where
    F: Future<Output = Arc<dyn Storage>>,
{
    let cases = cases! {
        assignment: numbers_count_up_and_draw_their_seeds_from_the_study_s,
            two_connections_at_once_never_take_the_same_last_slot,
            a_start_that_broke_off_takes_up_what_it_was_given_until_that_expires,
            paused_cells_get_nobody_and_go_on_when_resumed,
            a_study_takes_people_for_what_was_decided_last,
            purposes_have_slots_of_their_own,
            an_early_end_gives_its_slot_back,
            a_late_completion_is_over_quota_where_its_cell_is_full,
            an_exclusion_by_hand_counts_a_completion_anew,
            arrivals_fill_the_open_cell_with_the_fewest_up_to_the_caps_and_repeat;
        sessions: what_is_created_is_read_back,
            the_same_attempt_gets_the_same_session_with_the_new_token,
            a_code_has_one_session_where_it_may_have_one_only,
            trials_and_those_who_declined_are_not_in_the_way_of_their_code,
            a_spent_attempt_opens_nothing,
            tokens_codes_and_secrets_are_those_that_were_first_or_last_as_promised,
            a_lost_session_comes_back_under_its_number_or_the_next,
            nobody_is_told_apart_from_somebody;
        content: what_is_named_by_its_hash_is_stored_once,
            definitions_and_texts_of_a_study_are_kept,
            a_snapshot_does_not_see_what_is_written_after_it;
        blobs: a_store_keeps_what_it_is_given_until_it_is_deleted,
            what_no_row_names_is_deleted_after_a_day,
            sound_of_an_erased_session_goes_unless_another_has_the_same;
        logs: events_are_read_page_by_page_as_they_were_written,
            long_events_come_in_short_pages,
            an_append_that_fails_takes_no_other_with_it,
            of_two_connections_one_adds_an_event_and_the_other_is_told,
            authors_have_logs_of_their_own,
            many_at_once_are_all_stored_when_they_are_answered,
            who_has_ended_is_verified_once;
        sealing: sealed_logs_are_read_and_go_on_as_before,
            of_two_who_seal_a_log_each_event_is_moved_once,
            typed_texts_are_deleted_in_sealed_logs_too,
            a_session_with_sealed_logs_is_erased;
        people: arrivals_are_kept_until_they_are_forgotten,
            an_erased_session_leaves_what_is_needed_to_pay,
            a_code_is_kept_of_an_erased_session_where_the_study_says_so;
        recordings: pieces_of_sound_are_stored_once_and_deleted_on_their_day,
            a_transcript_belongs_to_a_recording_and_goes_with_it,
            typed_texts_are_deleted_on_their_day;
        pay: payments_are_added_all_or_none_and_once,
            credit_is_asked_for_until_there_is_an_answer;
        outbox: decisions_are_stored_unless_another_is_in_the_way,
            a_step_takes_place_once_and_with_its_entries,
            those_who_completed_say_how_long_they_took;
        users: somebody_is_added_once_and_what_they_are_is_read_back,
            a_link_sets_a_password_once_and_until_it_ends,
            a_sign_in_is_found_by_what_it_shows_until_it_ends,
            whoever_is_disabled_has_no_sign_in_and_no_token,
            tokens_are_counted_and_those_out_of_date_are_not,
            the_audit_log_only_grows_and_tells_what_took_place;
        identities: a_provider_vouches_for_one_person_and_once_for_each,
            whoever_waits_is_counted_and_has_no_sign_in_until_admitted;
        connection: a_duty_is_one_server_s_until_its_lease_ends,
            a_database_that_works_says_so_and_a_closed_one_does_nothing;
    };
    let count = cases.len();
    let mut failed = Vec::new();
    for (number, (name, case)) in cases.into_iter().enumerate() {
        let scene = Scene {
            storage: open().await,
            other: open().await,
            study: format!("case-{number}"),
        };
        // A task of its own: what one case finds wrong does not stand in the way of the others.
        if tokio::spawn(case(scene)).await.is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{} of {count}: {failed:?}", failed.len());
    count
}

#[tokio::test]
async fn sqlite_does_what_every_database_has_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let url = storage::url_of(&folder.path().join("test.db"));
    let cases = check(|| async { storage::open(&url).await.unwrap() }).await;
    println!("{cases} cases");
}

/// What the rest of this program tests, on PostgreSQL. What looks into SQLite's file stays with that.
#[test]
#[ignore = "all tests once more"]
fn every_test_passes_on_postgresql() {
    let ended = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--skip", "conformance::"])
        .env("REDIAL_TEST_DATABASE", "postgresql")
        .status()
        .unwrap();
    assert!(ended.success());
}

#[tokio::test]
async fn postgresql_does_what_every_database_has_to_do() {
    let url = cluster().database();
    let cases = check(|| async { storage::open(&url).await.unwrap() }).await;
    println!("{cases} cases");
}

#[tokio::test]
async fn postgresql_behind_a_pool_does_what_every_database_has_to_do() {
    let bouncer = cluster().bouncer();
    let url = bouncer.address(&cluster().database());
    let cases = check(|| async { storage::open(&url).await.unwrap() }).await;
    println!("{cases} cases");
}
