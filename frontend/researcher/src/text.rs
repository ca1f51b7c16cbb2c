//! Every word of the researcher's area, from `frontend/text/research.json`. It is in English alone.
//!
//! How the file is read: [`frontend::text::listed`]. Tests hold it against the list below, and the list against
//! the code: the compiler does not say which method nobody calls, where a macro of another crate has made it.

use std::sync::LazyLock;

use domain::common::language::ENGLISH;
use frontend::text::listed::part_of_app;

frontend::texts! {
    /// Numbers as people read them.
    numbers: Numbers {
        kilobytes(number); megabytes(number); gigabytes(number); last_of_list(others, last); percent(number);
    }
    /// Numbers of things.
    counted: Counted {
        sessions(plural count); questions(plural count); pictures(plural count); submissions(plural count);
        people(plural count); completed_sessions(plural count); writes(plural count); changes(plural count);
        decisions(plural count); credits(plural count); arrivals(plural count); minutes(plural count);
        seconds(plural count);
    }
    /// The frame around every page.
    shell: Shell {
        title; document_title(title); loading; no_page; no_page_why; to_studies; to_own_sessions; audit; nav;
        studies; help; sign_out; product; sign_in_ended; disk_full; disk_broken; unreachable; some_provider;
    }
    /// Signing in.
    entrance: Entrance {
        with_provider(name); provider_page; not_yet; or_with(name); other_tab; then; go_on_here;
        password_is_set; heading; no_account; name; password; passwords_differ; set_heading;
        password_length(shortest, longest); same_again; set;
    }
    /// Titles of pages, and why somebody may not open one.
    pages: Pages {
        studies; people(study); replay(study); questions(study); beside(study); exports(study);
        decisions(study); matching(study); analysis(study); trust(study); plan(study); account; audit;
        nothing; no_role(study); no_right(right, holders, role, study); right_look; right_identify;
        right_annotate; right_export; right_manage; if_granted(roles); owners; analysts; experimenters;
        viewers; an_owner; an_analyst; an_experimenter; a_viewer;
    }
    /// One's own account.
    account: Account {
        heading; sign_in_ended; this_one; end; places; sign_ins; since; last_used; address; browser; action;
        password_changed; password; old_password; new_password; change;
    }
    /// Tokens for scripts.
    tokens: Tokens {
        token_ended; never; end; yours; purpose; may; within; ends; last_used; action; keep; heading;
        scope_read; scope_export; scope_manage; which_days(longest); label; it_may; days; make;
    }
    /// Everybody's accounts.
    accounts: Accounts {
        admitted(name); admit; heading; name; state; roles; action; how; disabled; waits(provider); can;
        can_also(provider); can_through(provider); no_password; role_identifying(role, study);
        role(role, study); admin;
    }
    /// The audit log.
    audit: Audit {
        when; who; what; study; session; about; from_where; by_command; by_nobody; older; heading; entries;
    }
    /// Decisions, and how far they are.
    outbox: Outbox {
        taken_back_done; to_match; heading; no_credentials(platform); nothing; approve(amount, currency);
        reject(message); reject_for(category, message); ask_return(reason);
        bonus(reference, amount, currency, reason); waits(time); taken_back_by(person, time);
        taken_back(time); being_sent(time); tried_again(failing, next); sent_again(time); sent(time);
        done_as_noted(person, time); refused(time); uncertain(time); take_back; look_first; settle_done;
        settle_again; settle_dropped; by_command; decided(platform, person, time);
    }
    /// Pictures and frames that are saved for a talk.
    saving: Saving {
        no_picture; frames_made; progress(done, all); stop; save_as; picture; frames; what; nothing;
        saved(frames); saved_some(frames, all);
    }
    /// Playing sessions.
    playing: Playing { times(speed); speed; moment; at(time, end); after_end(time, end, later); }
    /// A session, replayed.
    replay: Replay {
        no_session; no_moment; about; hide_words; show_words; words_may; words_may_not; title(number);
        cut_off_state; being_read; live; screen; session_before; session_next; now; overshoot_back; overshoot;
        playing; pause; play; event_back; event; question_back; question; mark_back; mark; skip_rests;
        whole_session; this_question; in_sight; noted(time); notes; note; note_save; dial(number);
        this_moment; event_of(number, all, event); has_happened; cut_off; practice_question_in(stage, number);
        question_in(stage, number); not_ended; session_order; worst_first; head_question; head_model;
        head_outcome; head_time; head_alignment; questions; questions_label;
    }
    /// Keys of a replay, and what they do.
    replay_keys: ReplayKeys {
        space; space_does; arrows; arrows_does; shift_arrows; shift_arrows_does; m; m_does; o; o_does; s;
        s_does; plus; plus_does; home; home_does; n; n_does; z; z_does; up; up_does; heading; count;
    }
    /// Where a session stands.
    standing: Standing {
        purpose; standing; exclusion_reasons; approval; pay_owed; pay_paid; pay_due; waits; label; heading;
    }
    /// The sound that was recorded in a session.
    sound: Sound {
        failed(number, problem); fetch; fetch_noted; said; label; not_kept; not_played;
        recording(number, begin, end); missing(plural count, all, until); end_lost; no_transcript;
    }
    /// Erasing a session.
    erasing: Erasing {
        erase_this; gone; no_exports; exports; means_before; means_after; type_name; name; erase; leave;
        label; erased; erased_but_in_one(folder); erased_but_in(number, folders);
    }
    /// Sessions side by side.
    beside: Beside {
        no_moment; being_read; heading; about; unknown_question; unknown_model; nothing_common;
        choose_instead; choose; one_chosen; chosen(number); too_many(number); asked_for; shown_of_all;
        alignment_at(alignment, time); over(now); alignment_of(number); to_moment;
        practice_question(number, stage); question(number, stage); all_of(model); unread(session, problem);
        caption(title, time); without_question(number); without_model(number);
    }
    /// Results that the server works out from all logs.
    results: Results {
        sessions_read; asked_for; number_of(things); again; save_json; progress(done, all, things); soon;
        nothing_yet; as_of(time); working(progress); working_again(time, progress); replay; people; simulated;
        people_only; simulated_only; whose;
    }
    /// The analysis of a study.
    analysis: Analysis {
        show_words; show_words_noted; heading; problems; problems_why; none_yet; file_numbers; file_report;
        file_text; sessions; sessions_label; as_printed; of_version(name, version); study_version(version);
        versions_apart; exploratory; interim; save_csv; who_counts; each_leads; methods; study_sha256; tables;
        rounded; figures; head_who; head_number; sessions_of(what); version(version); as_text; contents;
        being_drawn; data_of(name, version); more_rows(plural count); its_data;
    }
    /// Exports of a study.
    exports: Exports {
        none; heading; new; what(hours); kept; waits; written(done, all); ready; failed;
        asked(person, what, time); somebody; download(size); about(plural count, included, time); sha256;
        stop; remove; counted; excluded; over_quota; ended; unfinished; no_data; no_day(typed); of_people;
        of_pilots; of_simulated; only(standings); or; started_since(day); started_before(day);
        study_file(versions); for_spreadsheets; with_identifying; with_audit; identifying; audit; whose;
        whose_people; whose_pilots; whose_simulated; spreadsheet_safe; some; some_standings; since; before;
        versions; make;
    }
    /// How far a study's numbers can be believed.
    trust: Trust {
        heading; head_signal; head_sessions; head_least; head_low; head_median; head_high; head_most;
        head_flag_if; head_flagged; head_session; head_complete; head_flags; head_replay; head_value; signs;
        flag_means; no_flags; with_flags; left_out(plural count); looked_at(plural count); signals;
        distributions; distributions_what; flagged_by(signal); yes; no; watch; watch_session(number);
        distribution_over(plural count, name, side); flag_if(side); as_table; distribution(name);
        range(least, most); sessions_with(values); above(thresholds); below(thresholds); or; head_found;
        verify; decoded_again; decoded_again_what; to_verified; to_contradicting; verify_takes; missing;
        verified; contradicting(plural count); findings; verification_summary(sessions, questions, pictures);
        watch_at(time); of_session(number); more_findings(number);
    }
    /// A platform's own list beside the sessions.
    matching: Matching {
        comparing; gave_up; heading; about; file; paste; compare; compared(platform, listed, known, time);
        repeated(plural count); nameless(plural count); agrees; differs; only_there; only_here; head_kind;
        head_to_do; head_number; kinds; which; with_to_do; all; head_choose; head_row; head_participant;
        head_submission; head_there; head_session; head_here; head_due; head_why; chosen(plural count);
        choose_all; before; next; page(number, all); nobody; who; choose(session); erased(session); watch;
    }
    /// Everybody on one question.
    questions: Questions {
        head_question; head_model; head_sessions; head_solved; head_not_solved; head_not_ended; heading;
        of_several; label; practice_name(number, stages); name(number, stages); one_alone; alone(number);
        left_out(number); none_shared; shared(plural count, sessions); unknown(name);
        plot_label(plural count, time); plot_caption(plural count, study); nobody; plot_help; save_plot;
        line(number, outcome, time); outcome(outcome, number); legend; solved; answered; finished; missed;
        given_up; cut; not_ended; head_beside; head_session; head_ended; head_time; head_best; head_wanted;
        head_condition; head_replay; side_by_side; lines; show_beside(number); beginning; end;
        of_session(number); no_name(name);
    }
    /// The list of studies.
    studies: Studies {
        head_study; head_state; head_started; head_under_way; head_completed; head_count; head_wanted;
        head_left; head_needs_somebody; head_you_are; loading; no_role; heading; own_sessions(study); to_lab;
        disk_full; to_decide(number); with_flags(number); mend_file; put_file_back; over_quota(number);
        full_cells(cells); uncertain(decisions); refused(decisions); unanswered(decisions);
        refused_by_sona(credits); unanswered_by_sona(credits); state_draft; state_pilot; state_running;
        state_paused; state_full; state_not_open; state_closed; state_file_refused; state_no_file; own_alone;
    }
    /// The page of a study.
    study: Study {
        started(sessions); analysis; questions; trust; plan; exports; decisions; all; people;
        admitted(name, role, study); role_of(name); let_in; waiting; waiting_why; waiting_label; head_name;
        head_vouched; head_role; head_action; head_cell; head_wanted; head_count; head_under_way; head_open;
        head_left; head_excluded; head_over_quota; everybody; paused; with_cell(cell); cells; to_draft;
        is_draft; to_pilot; is_pilot; to_running; is_running; to_closed; is_closed; under_way_now(people);
        leave; before; check_done; check_open; check_unknown; check_none;
    }
    /// Pausing a study, or one of its cells.
    pausing: Pausing {
        go_on; pause; means_go_on; means_pause(people); means_go_on_cell(cell);
        means_pause_cell(cell, people); goes_on; is_paused; cell_goes_on(cell); cell_is_paused(cell); leave;
    }
    /// A study as it goes on.
    now: Now {
        head_session; head_cell; head_part; head_question; head_for; head_alignment; head_state; head_kind;
        head_reached; head_went_on; head_left_there; head_median_time; heading; nobody; who_is_where; parts;
        started; under_way; completed; count; left; stuck; away(time); paused; not_connected(time); saving;
        question(number, all); pay(amount, currency, time, sessions, hourly); pay_so_far(amount, currency);
        disk_full; store_failed(health); nothing_waits; to_be_written(changes); storage_writing(waits, time);
        storage(waits); writes_took(writes, median, longest); waiting; live(seconds); not_live(seconds);
    }
    /// The table of sessions.
    people: People {
        summary(number, sessions, time); heading; choose_all(number);
        too_many(most, number); choose_none; side_by_side; before; next; no_page(number, last);
        page(number, all); identifying; columns; loading; sessions; choose; replay; watch;
        choose_session(number);
    }
    /// Conditions on sessions.
    conditions: Conditions {
        participants; pilots; simulated; under_way; counted; excluded; is_empty(column); is(column, value);
        or; is_less(column, value); is_more(column, value); holds(column, value); without(condition); label;
        which; another; sign_is; sign_less; sign_more; sign_holds; column; choose_one; comparison; value; add;
    }
    /// How many people a study needs.
    plan: Plan {
        head_people; head_power; head_monte_carlo_se; head_any_pair; head_one_t_test_closed_form;
        no_number(typed); heading; how_many; what; difference; sd; within; numbers; power; alpha; take_from;
        nobody; pilots; people; simulated; work_out; each_between; each;
        assumed(difference, metric, sd, within, alpha, studies);
        studies(number, each, seed); comes_from(from);
        needed(number, each, power); none_enough(power); declared(people); by_number; others;
    }
    /// How even the cells of a study become.
    balance: Balance {
        head_cell; head_cap; head_assigned; head_count; head_dropped_out; head_over_quota;
        head_rows_of_the_orders; heading; what; arrivals; dropout; at_once; minutes; seed; arrive;
        asked(people, dropout, at_once, minutes, seed); everybody; label; spread(most, last);
        turned_away(arrivals, first);
    }
    /// The effects of thresholds and time limits on a study.
    tuning: Tuning {
        heading; what; questions; thresholds; times; seed; begin; counts; asked(questions, seed); every;
        floor;
    }
    /// Simulated people who take a study.
    simulation: Simulation {
        heading; what; people; strategies; seed; begin; stop; analysis; no_number(typed); progress(done, all);
        progress_open(done); stopped(done); broke_off; full;
        came_of(people, seed, complete, included);
        events(number); strategies_taken(strategies);
    }
    /// Whether sessions count, decided by hand.
    deciding: Deciding {
        means_exclude(sessions); means_readmit(sessions); why; exclude; readmit; leave; ask_exclude;
        ask_readmit; chosen(plural count); excluded(sessions); readmitted(sessions);
        excluded_some(done, sessions); readmitted_some(done, sessions);
    }
    /// Decisions on sessions that platforms are told, and payments by hand.
    deeds: Deeds {
        ask_approve; ask_reject; ask_for_return; ask_bonus; ask_pay; decisions; return_instead; leave;
        commands; approve_anyway; approve; reject; ask_return; bonus; pay; told(sessions);
        told_some(done, sessions); noted(sessions); noted_some(done, sessions); category; choose_one;
        too_fast; message; message_length(number, shortest, longest); amount; bonus_reason; bonus_reference;
        return_reason; transfer; means_pay(sessions, sum); nothing_due; left_out(sessions, why); no_platform;
        decided; no_return; approved; rejected; no_credentials(platform); paid_by_hand(sessions, sum);
        not_finished(sessions); means_approve(sessions, platforms, each, sum);
        means_reject(sessions, platforms); means_return(sessions, platforms);
        means_bonus(sessions, platforms); sent_in(time);
    }
}

const FILE: &str = include_str!("../../text/research.json");

/// The texts of the area.
pub fn text() -> &'static Texts {
    static TEXTS: LazyLock<Texts> =
        LazyLock::new(|| Texts::new(ENGLISH, part_of_app("text/research.json", FILE)));
    &TEXTS
}

#[cfg(test)]
mod tests;
