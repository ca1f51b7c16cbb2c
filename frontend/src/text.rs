//! Every word a participant reads, from `text/en.json`.
//!
//! A translation is another file of the same shape. Each text is a method; a
//! text with `{placeholders}` takes one argument for each, so that a missing
//! one does not compile, and a test holds the file against the list below.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::LazyLock;

/// One screen's texts by name. A map and not a field each: reading those takes
/// 100 kB of code in the page.
type Words = BTreeMap<String, String>;

macro_rules! texts {
    (@method $key:ident) => {
        #[doc = concat!("The text `", stringify!($key), "`.")]
        pub fn $key(&self) -> &str {
            word(&self.0, stringify!($key))
        }
    };
    (@method $key:ident ($($arg:ident),+)) => {
        #[doc = concat!("The text `", stringify!($key), "`, filled in.")]
        pub fn $key(&self, $($arg: impl Display),+) -> String {
            fill(word(&self.0, stringify!($key)), &[$((stringify!($arg), $arg.to_string())),+])
        }
    };
    ($($(#[$meta:meta])* $group:ident: $Group:ident { $($key:ident $(($($arg:ident),+))?;)* })*) => {
        /// All texts, by screen.
        pub struct Texts { $($(#[$meta])* pub $group: $Group,)* }

        impl Texts {
            fn new(mut file: BTreeMap<String, Words>) -> Self {
                Self { $($group: $Group(file.remove(stringify!($group)).unwrap_or_default()),)* }
            }
        }

        $(
            $(#[$meta])*
            pub struct $Group(Words);

            impl $Group { $(texts!(@method $key $(($($arg),+))?);)* }
        )*

        #[cfg(test)]
        const PLACEHOLDERS: &[(&str, &str, &[&str])] =
            &[$($((stringify!($group), stringify!($key), &[$($(stringify!($arg)),+)?]),)*)*];
    };
}

/// A text by its name; the test below makes sure that it is there.
fn word<'a>(words: &'a Words, key: &str) -> &'a str {
    words.get(key).map_or("", String::as_str)
}

texts! {
    /// The frame around every screen.
    shell: Shell {
        product; document_title(title); saved; saving; stalled; stalled_keep_open; offline;
        offline_keep_open; help; help_text;
    }
    /// The list of studies.
    home: Home {
        heading; lead; studies; open; stages_one; stages(count); questions_one; questions(count);
        minutes(minutes); empty;
    }
    /// A study's first page.
    study: Study {
        consent; protocol; version; agree_box; agree_box_missing; signature; signature_missing;
        changed; agree_again; investigator; contact; duration; minutes_one; minutes(minutes); pay; print; agree;
        decline; start; starting; nothing_yet; keeps_in_tab; keeps_in_address;
    }
    /// After saying no.
    declined: Declined { heading; body; again; }
    /// While weights come in.
    loading: Loading {
        heading; percent(percent); seconds_few; seconds(seconds); minutes(minutes); picture; failed; retry;
    }
    /// When an address leads nowhere.
    problem: Problem { heading; }
    /// When the session is live in another tab.
    other_tab: OtherTab { heading; body; take_over; }
    /// The tutorial.
    tutorial: Tutorial {
        step(number, count); next; back; finish; dials_heading; dials_body; dials_keys;
        target_heading; target_body; target_bar; together_heading; together_body; together_try;
        end_heading; end_matched_title; end_matched; end_skip_title; end_skip; end_saved_title;
        end_saved; end_free_title; end_free;
    }
    /// The tutorial of the single-dimension task.
    tutorial_single: TutorialSingle {
        dial_heading; dial_body; groups_body; dial_more; guess_heading; guess_body; guess_low;
        guess_right; end_heading; end_sure_title; end_sure; end_answer_title; end_answer;
    }
    /// Before a stage.
    stage_intro: StageIntro {
        practice_heading; practice_body_one; practice_body(count); practice_begin;
        position(number, count); first_heading; first_body; change_heading; change_body;
        questions_one; questions(count); pace; begin; single_practice_body_one;
        single_practice_body(count); single_first_body; single_change_heading; single_change_body;
    }
    /// A question.
    question: Question {
        heading; instruction; skip_after(seconds); skip_always; skip_never; dials; pictures; skip;
        matched; move_on;
    }
    /// A question of the single-dimension task.
    single: Single {
        heading(dial); instruction(dial); asked_picture; traversals(dial);
        traversals_note(dial); values(dial); exemplars(dial); exemplars_note; row(number, dial);
        row_values(number, dial); group(option); more; low; medium; high; value(number);
        choose(dial); missing; confident; sense; disagree; agree; submit; checking;
        right(dial, option); wrong(dial, option); you_chose(option); late; go_on;
    }
    /// An exploration.
    exploration: Exploration {
        intro_heading; intro_body; heading; instruction; instruction_rename; notes; notes_hint; done;
    }
    /// Something to read.
    instructions: Instructions { heading; wait(seconds); go_on; }
    /// A break.
    rest: Rest { heading; body; wait(seconds); ready; go_on; }
    /// While right answers are waited for.
    awaiting: Awaiting { heading; body; offline; }
    /// After wrong answers in practice.
    screened_out: ScreenedOut { heading; body; saved; saving; }
    /// Picture and target.
    picture: Picture { picture; yours; target; both; your_picture; target_picture; put_apart; put_together; }
    /// The alignment bar.
    meter: Meter { label; alignment(percent); target(percent); both(alignment, target); reached(alignment); }
    /// A dial.
    dial: Dial { name(number); value(name, value); choice_value(name, number); minus(name); plus(name); rename(name); new_name(name); }
    /// How far the participant has come.
    progress: Progress { label; practice; stage(number, count); question(number, count); overall(percent); }
    /// Questionnaires.
    questionnaire: QuestionnaireTexts {
        submit; optional; choose; several; low_end(number, label); left(count); dont_know;
        prefer_not; describe(option); mark_hint; unmarked; marked(value); marked_of(value, max);
        rank_all; rank_some(count); rank_open; rank_placed(number);
        rank_earlier(option); rank_later(option); rank_order(order); rank_entry(number, option);
        missing_scale; missing_mark; missing_text; missing_choice; missing_rows; missing_date;
        missing_number; missing_rank; too_long(max); too_short(min); number_between(min, max);
        number_from(min); number_to(max); number_whole; date_bad; date_between(min, max);
        date_from(min); date_to(max); too_few(count); too_many(count); too_few_ranked(count);
        not_alone(option); not_described(option); not_right; unfit; attention_one;
        attention(count); again(attempt, attempts);
    }
    /// The end.
    complete: Complete {
        heading; waiting; offline; failed; retry; ready; copy; copied; copy_failed; close; records;
        records_note; stage; question; result; response_time; active_time; slide_distance;
        error_auc; practice; solved; skipped; answered; right; wrong; finished; cut; unfinished; next_person;
        worked_seconds; worked_minutes_one; worked_minutes(minutes); solved_of(right, count);
    }
    /// What can go wrong behind the screens.
    runtime: Runtime {
        no_server; server_said(reason); strange_answer; unknown_page; unknown_study; session_lost;
        no_model; no_decoder; bad_model; undecodable; broken; refused; no_code; model_gone;
        no_picture; reload; no_random;
    }
}

const ENGLISH: &str = include_str!("../text/en.json");

/// The texts of the page.
pub fn text() -> &'static Texts {
    static TEXTS: LazyLock<Texts> = LazyLock::new(|| match crate::json::read(ENGLISH) {
        Ok(file) => Texts::new(file),
        // Part of the program, not input: the test below reads the same bytes.
        Err(error) => panic!("text/en.json: {error}"),
    });
    &TEXTS
}

/// Replaces `{name}` by its value, in one pass: braces in a value stay as they are.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut filled = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, from_brace)) = rest.split_once('{') {
        filled.push_str(before);
        let found = from_brace.split_once('}').and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((value, after))
        });
        if let Some((value, after)) = found {
            filled.push_str(value);
            rest = after;
        } else {
            filled.push('{');
            rest = from_brace;
        }
    }
    filled + rest
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn values_take_the_place_of_their_names() {
        let values = [("a", "1".to_owned()), ("b", "{a}".to_owned())];
        assert_eq!(fill("{a} of {b}, {c}", &values), "1 of {a}, {c}");
        assert_eq!(fill("no names { here", &values), "no names { here");
    }

    #[test]
    fn every_text_has_exactly_the_placeholders_its_method_fills() {
        let file: serde_json::Value = serde_json::from_str(ENGLISH).unwrap();
        for (group, key, expected) in PLACEHOLDERS {
            let template = file[group][key]
                .as_str()
                .unwrap_or_else(|| panic!("{group}.{key}"));
            let found: BTreeSet<&str> = template
                .split('{')
                .skip(1)
                .filter_map(|part| Some(part.split_once('}')?.0))
                .collect();
            let expected: BTreeSet<&str> = expected.iter().copied().collect();
            assert_eq!(found, expected, "{group}.{key}: {template}");
        }
        let listed = PLACEHOLDERS
            .iter()
            .map(|(group, key, _)| (*group, *key))
            .collect::<BTreeSet<_>>();
        for (group, texts) in file.as_object().unwrap() {
            for key in texts.as_object().unwrap().keys() {
                assert!(
                    listed.contains(&(group.as_str(), key.as_str())),
                    "{group}.{key} is not used"
                );
            }
        }
        assert_eq!(text().progress.stage(1, 3), "Stage 1 of 3");
    }
}
