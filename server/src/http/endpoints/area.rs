//! Endpoints of the researcher's area: who enters, studies, sessions, exports.

use api::lab::{ActLogged, ExperimenterAct, LabStudies, NewExperimenter};
use api::replay::{NewEvents, Overshoots, ReplayState};
use api::research::live::LiveMessage;
use api::research::{
    Admission, ApiTokenMade, ApiTokens, AuditLog, AuditQuery, Checklist, Done, ErasureRequest,
    EventsQuery, ExclusionRequest, ExportInfo, Exports, ExportsWithSession, Me, NewApiToken,
    NewExport, OpenIdBegun, OpenIdRequest, PasswordByLink, PasswordChange, PauseRequest, People,
    RecordingQuery, Right, SessionQuery, SessionSound, SessionTable, SessionsQuery, SignInRequest,
    SignIns, StatusRequest, Studies, StudyAdmission, StudySummary, Waiting, WaysToSignIn,
};
use api::{ErrorCode as E, routes};
use axum::http::Method;
use domain::session::event::SessionId;

use super::super::body::OF_A_STRANGER;
use super::super::endpoint::Endpoint;
use super::super::research::openid::{self, OpenIdAnswer};
use super::super::{
    lab, research, research_erasure, research_exports, research_live, research_people,
    research_replay, research_sessions, research_sound, research_studies,
};

/// Everything of the area but what is decided for platforms and what is worked out from logs.
pub(super) fn area() -> Vec<Endpoint> {
    let session = &SessionId("{session}".to_owned());
    vec![
        Endpoint::new(Method::POST, routes::SIGN_IN, "sign_in", research::sign_in)
            .about("Signs somebody in to the researcher's area. The answer has the cookie.")
            .takes::<SignInRequest>()
            .answers::<Me>()
            .or(&[E::Unauthorised, E::Forbidden, E::TooManyAttempts, E::StorageFull]),
        Endpoint::new(Method::GET, routes::SIGN_IN, "ways_to_sign_in", openid::ways)
            .about("How people can sign in.")
            .answers::<WaysToSignIn>(),
        Endpoint::new(Method::POST, routes::OPENID, "begin_openid_sign_in", openid::begin)
            .about("Begins to sign somebody in through the provider of OpenID Connect. The answer has a cookie that binds it to the browser.")
            .takes::<OpenIdRequest>()
            .answers::<OpenIdBegun>()
            .or(&[E::NotFound, E::Forbidden, E::Refused, E::Unavailable]),
        Endpoint::new(Method::GET, routes::OPENID_BACK, "end_openid_sign_in", openid::back)
            .about("Where the provider sends people back to. It signs them in, or leads to the sign-in page with the reason.")
            .in_query::<OpenIdAnswer>()
            .redirects(),
        Endpoint::new(Method::POST, routes::PASSWORD_BY_LINK, "set_password_by_link", research::set_password)
            .about("Sets a password with what a link holds that `redial user add` or `redial user reset` has given.")
            .takes::<PasswordByLink>()
            .answers::<Done>()
            .or(&[E::Forbidden, E::Gone, E::Refused, E::StorageFull]),
        Endpoint::new(Method::GET, routes::ME, "who_am_i", research::me)
            .about("Who is signed in, and what they may do.")
            .signed_in()
            .answers::<Me>(),
        Endpoint::new(Method::POST, routes::PASSWORD, "change_password", research::change_password)
            .about("Changes the password of whoever is signed in, and ends all their other sign-ins.")
            .for_people()
            .takes::<PasswordChange>()
            .answers::<Done>()
            .or(&[E::TooManyAttempts, E::Refused, E::StorageFull]),
        Endpoint::new(Method::GET, routes::SIGN_INS, "list_sign_ins", research::sign_ins)
            .about("The places where whoever asks is signed in.")
            .for_people()
            .answers::<SignIns>(),
        Endpoint::new(Method::DELETE, routes::SIGN_INS, "sign_out", research::sign_out)
            .about("Ends the sign-in that asks.")
            .for_people()
            .answers::<Done>()
            .or(&[E::StorageFull]),
        Endpoint::new(Method::DELETE, &routes::sign_in("{id}"), "end_sign_in", research::end_sign_in)
            .about("Ends a sign-in of whoever asks.")
            .for_people()
            .answers::<Done>()
            .or(&[E::StorageFull]),
        Endpoint::new(Method::GET, routes::API_TOKENS, "list_tokens", research::tokens)
            .about("The tokens of whoever asks.")
            .for_people()
            .answers::<ApiTokens>(),
        Endpoint::new(Method::POST, routes::API_TOKENS, "make_token", research::make_token)
            .about("Makes a token for a program. It is shown in this answer and never again.")
            .for_people()
            .takes::<NewApiToken>()
            .answers::<ApiTokenMade>()
            .or(&[E::Refused, E::StorageFull]),
        Endpoint::new(Method::DELETE, &routes::api_token("{id}"), "end_token", research::end_token)
            .about("Ends a token of whoever asks.")
            .for_people()
            .answers::<Done>()
            .or(&[E::StorageFull]),
        Endpoint::new(Method::GET, routes::PEOPLE, "list_people", research::people)
            .about("Everybody who has an account in the researcher's area.")
            .for_admins()
            .answers::<People>(),
        Endpoint::new(Method::POST, routes::ADMISSIONS, "admit_person", research_people::admit)
            .about("Lets somebody in who has come through the provider of OpenID Connect and waits. It gives them no right.")
            .for_admins()
            .takes::<Admission>()
            .answers::<Done>()
            .or(&[E::NotFound, E::Refused, E::StorageFull]),
        Endpoint::new(Method::GET, routes::AUDIT_LOG, "read_audit_log", research::audit_log)
            .about("Who did what: in the studies that whoever asks runs, and everywhere for those who look after accounts.")
            .signed_in()
            .in_query::<AuditQuery>()
            .answers::<AuditLog>()
            .or(&[E::Malformed]),
        Endpoint::new(Method::GET, routes::RESEARCH_STUDIES, "list_own_studies", research_studies::list)
            .about("How the studies stand in which whoever asks has a role.")
            .signed_in()
            .answers::<Studies>(),
        Endpoint::new(Method::GET, &routes::research_study("{study}"), "show_own_study", research_studies::show)
            .about("How a study stands.")
            .with_right(Right::Look)
            .answers::<StudySummary>(),
        Endpoint::new(Method::POST, &routes::research_pause("{study}"), "pause_cells", research_studies::pause)
            .about("Puts nobody into cells of a study any more, or people into them again. Whoever has begun can finish.")
            .with_right(Right::Manage)
            .takes::<PauseRequest>()
            .answers::<Done>()
            .or(&[E::Refused, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::research_status("{study}"), "set_study_status", research_studies::set_status)
            .about("Decides what a study takes people for: nobody yet (draft), pilots, participants (running), nobody any more (closed). Whoever has begun can finish.")
            .with_right(Right::Manage)
            .takes::<StatusRequest>()
            .answers::<Done>()
            .or(&[E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_admissions("{study}"), "list_waiting", research_people::waiting)
            .about("Who has come through the provider of OpenID Connect and waits to be let in.")
            .with_right(Right::Manage)
            .answers::<Waiting>(),
        Endpoint::new(Method::POST, &routes::research_admissions("{study}"), "admit_to_study", research_people::admit_to_study)
            .about("Lets somebody in who waits, with a role in the study.")
            .with_right(Right::Manage)
            .takes::<StudyAdmission>()
            .answers::<Done>()
            .or(&[E::NotFound, E::Refused, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_checklist("{study}"), "show_checklist", research_studies::show_checklist)
            .about("What is to be looked at before a study takes participants. Those who may manage the study are told its platform's codes.")
            .with_right(Right::Look)
            .answers::<Checklist>(),
        Endpoint::new(Method::GET, &routes::research_sessions("{study}"), "list_sessions", research_sessions::list)
            .about("A page of a study's sessions: the rows of the export's table, in any order; of experimenters, the sessions that they run. Identifying columns are there for those who may see them, and only where they are named.")
            .with_right_for_some(Right::Look)
            .in_query::<SessionsQuery>()
            .answers::<SessionTable>()
            .or(&[E::Malformed, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_session("{study}", session), "show_session_for_replay", research_replay::show)
            .about("A session as its replay needs it: the plan without answer keys.")
            .with_right(Right::Look)
            .in_query::<SessionQuery>()
            .answers::<ReplayState>()
            .or(&[E::Malformed, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_events("{study}", session), "replay_session", research_replay::events)
            .about("The events of a session from given places on, without what is identifying unless asked for. Answered once there are some, or after 20 seconds, with at most 5,000. Where more is there already, `next` says from where, and a `Link` header with `rel=\"next\"` leads to it.")
            .with_right(Right::Look)
            .in_query::<EventsQuery>()
            .answers::<NewEvents>()
            .or(&[E::Malformed, E::Unavailable, E::Erased, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_overshoots("{study}", session), "list_overshoots", research_replay::overshoots)
            .about("Where dials passed the target's value while they were slid, by the answer keys, which are not told. Of the question under way nothing is told.")
            .with_right(Right::Look)
            .answers::<Overshoots>()
            .or(&[E::Erased, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_sound("{study}", session), "show_sound", research_sound::show)
            .about("What was recorded in a session, and what was said by its transcripts. Each look is noted in the audit log.")
            .with_right(Right::Identify)
            .answers::<SessionSound>()
            .or(&[E::Erased, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_sound_file("{study}", session), "fetch_sound", research_sound::file)
            .about("The sound of one of a session's recordings, up to the first piece that is missing. It is noted in the audit log.")
            .with_right(Right::Identify)
            .in_query::<RecordingQuery>()
            .answers_bytes()
            .or(&[E::Malformed, E::Erased, E::StorageFull]),
        Endpoint::new(Method::GET, routes::LAB_STUDIES, "list_lab_studies", lab::studies)
            .about("The studies that are run in a lab, with the latest sessions that whoever asks may follow.")
            .signed_in()
            .answers::<LabStudies>(),
        Endpoint::new(Method::GET, &routes::research_erasure("{study}", session), "list_exports_with_session", research_erasure::exports)
            .about("Which exports have something of a session, by the list that is kept of them.")
            .with_right(Right::Manage)
            .answers::<ExportsWithSession>(),
        Endpoint::new(Method::POST, &routes::research_erasure("{study}", session), "erase_session_of_study", research_erasure::erase)
            .about("Erases everything that the participant of a session gave; what is needed to pay them stays. It cannot be taken back. Answers with the exports that still have something of it.")
            .with_right(Right::Manage)
            .takes::<ErasureRequest>()
            .answers::<ExportsWithSession>()
            .or(&[E::Refused, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::lab_experimenter("{study}", session), "name_experimenter", lab::name_experimenter)
            .about("Says who runs a lab session from now on: whoever asks, where nobody does yet. Those who may manage the study name anybody.")
            .with_right(Right::Annotate)
            .takes::<NewExperimenter>()
            .answers::<Done>()
            .or(&[E::Refused, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::lab_acts("{study}", session), "act_in_lab_session", lab::act)
            .about("Writes a note about a session, marks a moment, or asks the participant's page to pause, to go on, or to end a stage.")
            .with_right(Right::Annotate)
            .takes::<ExperimenterAct>()
            .at_most(OF_A_STRANGER)
            .answers::<ActLogged>()
            .or(&[E::Refused, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_exports("{study}"), "list_exports", research_exports::list)
            .about("The exports of a study that are kept or under way.")
            .with_right(Right::Export)
            .answers::<Exports>(),
        Endpoint::new(Method::POST, &routes::research_exports("{study}"), "make_export", research_exports::make)
            .about("Begins an export with the options of `redial export`. Three are made at a time; each is kept for 24 hours.")
            .with_right(Right::Export)
            .takes::<NewExport>()
            .answers::<ExportInfo>()
            .or(&[E::Refused, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_export("{study}", "{export}"), "show_export", research_exports::show)
            .about("How far an export is.")
            .with_right(Right::Export)
            .answers::<ExportInfo>(),
        Endpoint::new(Method::DELETE, &routes::research_export("{study}", "{export}"), "remove_export", research_exports::remove)
            .about("Stops an export, or no longer keeps it. Those may who could have made it. It is noted in the audit log.")
            .with_right(Right::Export)
            .answers::<Done>()
            .or(&[E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_export_file("{study}", "{export}"), "fetch_export", research_exports::file)
            .about("The file of an export, a ZIP archive. Parts of it can be asked for with the header `Range`; the header `Repr-Digest` says its SHA-256. Until it is made, the answer says how far it is and when to ask again.")
            .with_right(Right::Export)
            .answers_bytes()
            .or(&[E::Refused, E::Unavailable]),
        Endpoint::new(Method::POST, &routes::research_exclusion("{study}", session), "exclude_session", research_studies::exclude)
            .about("Leaves a session out of analyses, or takes that back. Its data stay. What was decided so before is not decided anew: the answer says by whom, when and why.")
            .with_right(Right::Manage)
            .takes::<ExclusionRequest>()
            .answers::<Done>()
            .or(&[E::Decided, E::Refused, E::Erased, E::StorageFull, E::Unavailable]),
        Endpoint::new(Method::GET, routes::LIVE, "watch_studies", research_live::watch)
            .about("The studies in which whoever asks may look on, as they go on: a picture first, then what changes. It goes on until one side ends it.")
            .signed_in()
            .answers_events::<LiveMessage>()
            .or(&[E::Unavailable]),
    ]
}
