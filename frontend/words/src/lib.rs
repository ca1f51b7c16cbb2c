//! Every word of the app that a participant reads, from `frontend/text/en.json` and its translations; and
//! a study's [first page](first_page), which is read before the app is there.
//!
//! A translation is another file of the same shape. How a file is read, and what the list below
//! says of it: [`listed`]. A test holds the files against the list.
//!
//! English is part of the app; other languages are fetched by it. The server has them all. The words of the
//! researcher's area, `research.json`, are in no other language; their list stands in that crate.

use std::cell::Cell;
use std::fmt::Display;

use domain::common::language::ENGLISH;

#[cfg(not(target_arch = "wasm32"))]
mod all;
pub mod first_page;
pub mod listed;
mod plural;

use listed::{Words, part_of_app};

crate::texts! {
    /// How numbers are written.
    numbers: Numbers { decimal_mark; }
    /// The frame around every screen.
    shell: Shell {
        product; document_title(title); saved; saving; stalled; stalled_keep_open; offline;
        offline_keep_open; saved_again; help; help_text; stop; time_left(plural minutes); time_over;
        all_saved; being_saved; kept_for_now; not_kept;
    }
    /// The words of the buttons that lead on, the same on every screen.
    ways: Ways { go_on; start; back; wait(seconds); }
    /// The list of studies.
    home: Home {
        heading; lead; studies; open; stages(plural count); stages_range(least, most);
        questions(plural count); questions_range(least, most);
        minutes(minutes); empty;
    }
    /// A study's first page.
    study: Study {
        consent; protocol; version; agree_box; agree_box_missing; signature; signature_missing;
        changed; agree_again; investigator; contact; duration; minutes(plural minutes); pay; language; print; agree;
        decline; starting; loading; nothing_yet; by_sight; keeps_in_tab; keeps_in_address;
        preview(platforms); from_platform(platforms); unchecked(platforms); wrong_link;
        wrong_link_contact(contact); trial;
    }
    /// The way back to a platform.
    go_back: GoBack { button(platform); by_hand(platform); last_step(platform); code(platform); reference; }
    /// After saying no.
    declined: Declined { heading; body; again; }
    /// Stopping before the end, or taking back what was given.
    withdraw: Withdraw {
        heading; body; go_on; stop; stop_note; erase; erase_note; erase_after_end; failed;
        done_heading; kept; erasing; erased; code; close; reward; reward_ask(contact); reward_stays;
        sure; sure_yes; sure_no; first_page;
    }
    /// While weights come in.
    loading: Loading {
        heading; percent(percent); seconds_few; seconds(plural seconds); minutes(plural minutes); picture; failed; retry;
    }
    /// When an address leads nowhere.
    problem: Problem { heading; }
    /// When the server has lost a session of which this browser has the answers.
    lost: Lost { heading; body; save; again; }
    /// When the session is live on another page.
    other_tab: OtherTab { heading; body; take_over; }
    /// The tutorial.
    tutorial: Tutorial {
        step(number, count); dials_heading; dials_body; dials_keys;
        target_heading; target_body; target_bar; together_heading; together_body; together_try;
        end_heading; end_matched_title; end_matched; end_skip_title; end_skip; end_saved_title;
        end_saved; end_saved_keep_open; end_free_title; end_free; target_try;
        end_done_title; end_done; end_give_up_title; end_give_up;
    }
    /// The tutorial of the single-dimension task.
    tutorial_single: TutorialSingle {
        dial_heading; dial_body; groups_body; dial_more; guess_heading; guess_body; guess_low;
        guess_right; end_heading; end_sure_title; end_sure; end_answer_title; end_answer;
    }
    /// Before a stage.
    stage_intro: StageIntro {
        practice_heading; practice_body(plural count);
        position(number, count); first_heading; first_body; change_heading; change_body;
        questions(plural count); limit_minutes(plural minutes); limit_seconds(plural seconds); previews;
        same_heading; same_body; pace; single_practice_body(plural count); single_first_body; single_change_heading; single_change_body;
    }
    /// A question.
    question: Question {
        heading; instruction; skip_after(plural seconds); skip_always; skip_never; dials; pictures; skip;
        matched; instruction_declared; done; give_up; undo; randomise; hint_bar; hint_band; hint_rename;
    }
    /// A question of the single-dimension task.
    single: Single {
        heading(dial); instruction(dial); asked_picture; traversals(dial);
        traversals_note(dial); values(dial); exemplars(dial); exemplars_note; row(number, dial);
        row_values(number, dial); group(option); more; low; medium; high; value(number);
        choose(dial); choose_value(dial); missing; confident; sense; disagree; agree; checking;
        right(dial, option); wrong(dial, option); you_chose(option); late; enlarge; example(number); next_example; previous_example;
    }
    /// An exploration.
    exploration: Exploration {
        intro_heading; intro_body; heading; instruction; instruction_rename; notes; notes_hint; done;
    }
    /// A question in which a concept is named.
    naming: Naming {
        intro_heading; intro_body; heading; instruction(samples); samples;
        sample(number, count, row, column, percent); sample_plain(number, count); enlarge(sample); close;
        upper; middle; lower; left; centre; right; second; second_add; second_remove; none_of_them; no_term;
        missing_term; definitions; example; explanation; explanation_optional; missing_explanation;
    }
    /// Something to read.
    instructions: Instructions { heading; }
    /// A break.
    rest: Rest { heading; body; ready; }
    /// When a stage is over before all of its questions were asked.
    time_up: TimeUp { heading; }
    /// While the experimenter has paused the session.
    paused: Paused { heading; body; }
    /// Whether the participant may be recorded, and how the recording stands.
    microphone: Microphone { heading; body; press; kept(plural days); agree; try_again; decline; refused; say_something; heard; not_heard; record; on; muted; silent; failed; hold; }
    /// While right answers are waited for.
    awaiting: Awaiting { heading; body; offline; }
    /// Whether the device fits the study.
    device: Device { checking; moment; heading; fine_pointer; touch; width(pixels); pictures; slow; again; stop; over; over_body; }
    /// After wrong answers in practice.
    screened_out: ScreenedOut { heading; body; saved; saving; }
    /// Picture and target.
    picture: Picture { picture; yours; target; both; your_picture; target_picture; put_apart; put_together; }
    /// The alignment bar.
    meter: Meter { label; alignment(percent); target(percent); both(alignment, target); reached(alignment); }
    /// A dial.
    dial: Dial { name(number); value(percent); choice_value(name, number); minus(name); plus(name); rename(name); new_name(name); previews(name); previews_values(name); count(plural count); }
    /// How far the participant has come.
    progress: Progress { label; practice; stage(number, count); question(number, count); overall(percent); minutes_left(minutes); last_minute; about(plural minutes); }
    /// Questionnaires.
    questionnaire: QuestionnaireTexts {
        time_goes_on; time_ends; time_over; time_left(plural seconds); more_time;
        film; film_play; cannot_see; missing_letters; optional; choose; several; low_end(number, label); left(plural count); dont_know;
        prefer_not; describe(option); mark_hint; unmarked; marked(value); marked_of(value, max);
        rank_all; rank_some(plural count); rank_open; rank_placed(number);
        rank_earlier(option); rank_later(option); rank_order(order); rank_entry(number, option);
        missing_scale; missing_mark; missing_text; missing_choice; missing_rows; missing_date;
        missing_number; missing_rank; too_long(plural max); too_short(plural min); number_between(min, max);
        number_from(min); number_to(max); number_whole; date_bad; date_between(min, max);
        date_from(min); date_to(max); too_few(count); too_many(count); too_few_ranked(count);
        not_alone(option); not_described(option); not_right; unfit; attention(plural count); again(attempt, attempts);
    }
    /// The end.
    complete: Complete {
        heading; waiting; offline; offline_keep_open; failed; retry; ready; copy; copied; copy_failed; close; learnt; records;
        records_note; stage; question; result; response_time; active_time; slide_distance;
        error_auc; practice; solved; skipped; answered; right; wrong; finished; missed; cut; unfinished; next_person;
        trial; claim(number);
        worked_seconds; worked_minutes(plural minutes); solved_of(right, count);
    }
    /// Problems that can occur behind the screens.
    runtime: Runtime {
        no_server; server_busy; not_accepted; strange_answer; unknown_page; unknown_study; session_lost; not_resumable;
        no_model; no_decoder; bad_model; undecodable; broken; refused; refused_not_kept; no_code; model_gone;
        no_picture; reload; no_random; study_full; took_part; not_open; wrong_link;
    }
}

const IN_ENGLISH: &str = include_str!("../../text/en.json");

thread_local! {
    /// Of the page, which has one thread. Replaced a few times at most, so that it may stay for
    /// good: screens hold on to their words.
    static TEXTS: Cell<Option<&'static Texts>> = const { Cell::new(None) };
}

/// The texts of the page.
pub fn text() -> &'static Texts {
    TEXTS.get().unwrap_or_else(|| {
        install(ENGLISH, part_of_app("text/en.json", IN_ENGLISH));
        text()
    })
}

/// Puts the texts of a language in the place of those before, for screens that come.
pub fn install(language: &str, file: Words) {
    TEXTS.set(Some(Box::leak(Box::new(Texts::new(language, file)))));
}

/// Puts the texts that are part of the app in the place of those before.
pub fn install_english() {
    TEXTS.set(None);
}

impl Texts {
    /// The language (BCP 47).
    #[must_use]
    pub fn language(&self) -> &str {
        // All groups are of one language.
        self.numbers.0.language()
    }

    /// A number as the language writes it, with a true minus sign. Groups of thousands are not told
    /// apart.
    #[must_use]
    pub fn number(&self, value: impl Display) -> String {
        let text = value.to_string().replace('-', "−");
        text.replace('.', self.numbers.decimal_mark())
    }
}

#[cfg(test)]
mod tests;
