//! Every word of the researcher's area, from `frontend/text/research.json`. It is in English alone.
//!
//! How the file is read: [`frontend::text::listed`]. A test holds it against the list below; a text that
//! nothing shows is told by the compiler, since nobody outside of this crate sees its method.

use std::sync::LazyLock;

use domain::common::language::ENGLISH;
use frontend::text::listed::part_of_app;

frontend::texts! {
    /// Numbers as people read them.
    numbers: Numbers {
        kilobytes(number); megabytes(number); gigabytes(number); last_of_list(others, last); percent(number);
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
        reject(message); reject_for(category, message); bonus(reference, amount, currency, reason);
        waits(time); taken_back_by(person, time); taken_back(time); being_sent(time);
        tried_again(failing, next); sent_again(time); sent(time); done_as_noted(person, time); refused(time);
        uncertain(time); take_back; look_first; settle_done; settle_again; settle_dropped; by_command;
        decided(platform, person, time);
    }
    /// What is saved for a talk.
    saving: Saving {
        no_picture; frames_made; progress(done, all); stop; save_as; picture; frames; what; nothing;
        saved(frames); saved_some(frames, all);
    }
    /// Playing sessions.
    playing: Playing { times(speed); speed; moment; at(time, end); after_end(time, end, later); }
}

const FILE: &str = include_str!("../../text/research.json");

/// The texts of the area.
pub fn text() -> &'static Texts {
    static TEXTS: LazyLock<Texts> =
        LazyLock::new(|| Texts::new(ENGLISH, part_of_app("text/research.json", FILE)));
    &TEXTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_and_list_have_the_same_texts() {
        let file = serde_json::from_str(FILE).unwrap();
        let wrong = frontend::text::listed::wrong_in(&file, LISTED);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
