//! The exported tables and what each of their columns means.
//!
//! Column names are stable: analyses depend on them. Units are in the names.

/// One column of the data dictionary.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Name in the file.
    pub name: &'static str,
    /// `text`, `integer`, `number`, `boolean` or `json`.
    pub kind: &'static str,
    /// Unit, empty where there is none.
    pub unit: &'static str,
    /// What it means, and when it is empty.
    pub meaning: &'static str,
    /// Allowed values, in words.
    pub allowed: &'static str,
}

/// One table, written as CSV and as JSON Lines with the same rows.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Name of the files, without ending.
    pub name: &'static str,
    /// What one row is.
    pub row: &'static str,
    /// The columns, in order.
    pub columns: &'static [Column],
}

const fn c(
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    allowed: &'static str,
    meaning: &'static str,
) -> Column {
    Column {
        name,
        kind,
        unit,
        meaning,
        allowed,
    }
}

const SESSION: Column = c(
    "session",
    "text",
    "",
    "any",
    "Name of the session; joins the tables",
);
const STAGE: Column = c(
    "stage",
    "integer",
    "",
    "0 and up",
    "Position of the stage in this session's order, practice included, from 0",
);
const STAGE_ID: Column = c(
    "stage_id",
    "text",
    "",
    "any",
    "Name of the stage in the study; 'practice' for practice",
);
const QUESTION: Column = c(
    "question",
    "integer",
    "",
    "0 and up",
    "Position of the question in its stage, from 0",
);
const MODEL: Column = c("model", "text", "", "any", "Name of the model");

/// One row for each session.
pub const SESSIONS: Table = Table {
    name: "sessions",
    row: "one session, complete or not",
    columns: &[
        SESSION,
        c("study", "text", "", "any", "Name of the study"),
        c(
            "study_sha256",
            "text",
            "",
            "64 hex digits",
            "SHA-256 of the study file the session was started with",
        ),
        c(
            "ordinal",
            "integer",
            "",
            "1 and up",
            "Number of the session within its study, from 1; with the study's seed it fixes all draws",
        ),
        c(
            "participant_code",
            "text",
            "",
            "any",
            "Code given at the start; empty if none was",
        ),
        c(
            "created_at_utc",
            "text",
            "",
            "RFC 3339",
            "When Start was pressed, by the server's clock",
        ),
        c(
            "completed_at_utc",
            "text",
            "",
            "RFC 3339",
            "When the completion code was made; empty if it was not",
        ),
        c(
            "completion_code",
            "text",
            "",
            "any",
            "The completion code; empty if none was made",
        ),
        c(
            "phase",
            "text",
            "",
            "tutorial, stage_intro, ready, solving, solved, questionnaire, complete, consent, declined",
            "Where the session stands",
        ),
        c(
            "stage_order",
            "json",
            "",
            "list of stage names",
            "Stages in this session's order, practice left out",
        ),
        c(
            "questions_planned",
            "integer",
            "questions",
            "0 and up",
            "Number of questions, practice left out",
        ),
        c(
            "questions_ended",
            "integer",
            "questions",
            "0 and up",
            "Number of questions solved or skipped, practice left out",
        ),
        c(
            "questions_solved",
            "integer",
            "questions",
            "0 and up",
            "Number of questions solved, practice left out",
        ),
        c(
            "events",
            "integer",
            "events",
            "0 and up",
            "Length of the event log",
        ),
        c(
            "last_event_at_ms",
            "integer",
            "ms",
            "0 and up",
            "Time of the last event since the session's start",
        ),
        c(
            "pages_opened",
            "integer",
            "",
            "0 and up",
            "How often the page was opened: 1 without reloads",
        ),
        c(
            "connections_lost",
            "integer",
            "",
            "0 and up",
            "How often the browser lost the server",
        ),
        c(
            "viewport_width_px",
            "integer",
            "px",
            "0 and up",
            "Width of the window at the start; empty if not reported",
        ),
        c(
            "viewport_height_px",
            "integer",
            "px",
            "0 and up",
            "Height of the window at the start; empty if not reported",
        ),
        c(
            "touch",
            "boolean",
            "",
            "true, false",
            "Whether the main pointer was a finger; empty if not reported",
        ),
        c(
            "user_agent",
            "text",
            "",
            "any",
            "What the browser called itself at the start; empty if not reported",
        ),
    ],
};

/// One row for each question begun.
pub const QUESTIONS: Table = Table {
    name: "questions",
    row: "one question that was begun; an unended one counts up to its last event",
    columns: &[
        SESSION,
        STAGE,
        STAGE_ID,
        QUESTION,
        MODEL,
        c(
            "weights_sha256",
            "text",
            "",
            "64 hex digits",
            "SHA-256 of the decoder's weights; empty for a closed form",
        ),
        c(
            "practice",
            "boolean",
            "",
            "true, false",
            "Whether it was practice, which is not scored",
        ),
        c(
            "outcome",
            "text",
            "",
            "solved, skipped",
            "How it ended; empty while it has not",
        ),
        c(
            "threshold_distance",
            "number",
            "",
            "0 to 1",
            "Distance that solves the question",
        ),
        c(
            "started_at_ms",
            "integer",
            "ms",
            "0 and up",
            "When it started, since the session's start",
        ),
        c(
            "response_time_s",
            "number",
            "s",
            "0 and up",
            "Time from start to end",
        ),
        c(
            "active_time_s",
            "number",
            "s",
            "0 and up",
            "Part of it in which the participant was active: from each activity to the next, at most 3 s",
        ),
        c(
            "slide_distance_widths",
            "number",
            "slider widths",
            "0 and up",
            "Distance moved by sliders in slider widths, plus 1 for each discrete change",
        ),
        c(
            "error_auc_s",
            "number",
            "squared error × s",
            "0 and up",
            "Integral of the summed squared error over the question's time; the paper prints it divided by 1000",
        ),
        c(
            "start_distance",
            "number",
            "",
            "0 to 1",
            "Distance to the target at the start; empty before the first snapshot",
        ),
        c(
            "end_distance",
            "number",
            "",
            "0 to 1",
            "Distance at the last snapshot; empty before the first",
        ),
        c(
            "best_distance",
            "number",
            "",
            "0 to 1",
            "Smallest distance of any snapshot; empty before the first",
        ),
        c(
            "snapshots",
            "integer",
            "",
            "0 and up",
            "Number of snapshots",
        ),
        c(
            "dimension_switches",
            "integer",
            "",
            "0 and up",
            "How often the dial being moved changed",
        ),
        c(
            "direction_reversals",
            "integer",
            "",
            "0 and up",
            "How often a slider turned round without another dial being moved in between",
        ),
        c(
            "display_switches",
            "integer",
            "",
            "0 and up",
            "How often the pictures were put apart or together",
        ),
        c(
            "renamings",
            "integer",
            "",
            "0 and up",
            "How often a dial was renamed",
        ),
        c(
            "reloads",
            "integer",
            "",
            "0 and up",
            "How often the page was opened anew during the question",
        ),
        c(
            "first_touched",
            "json",
            "",
            "list of dimensions",
            "Dimensions in the order they were first moved",
        ),
        c(
            "start_z",
            "json",
            "",
            "list of numbers",
            "Latent vector the controls started at",
        ),
        c(
            "target_z",
            "json",
            "",
            "list of numbers",
            "Latent vector of the target",
        ),
        c(
            "end_z",
            "json",
            "",
            "list of numbers",
            "Latent vector at the last snapshot; empty before the first",
        ),
    ],
};

/// One row for each dial of each question begun.
pub const DIMENSIONS: Table = Table {
    name: "dimensions",
    row: "one dimension of one question that was begun",
    columns: &[
        SESSION,
        STAGE,
        STAGE_ID,
        QUESTION,
        MODEL,
        c(
            "dimension",
            "integer",
            "",
            "0 and up",
            "Position of the dimension, from 0; participants read one more",
        ),
        c(
            "kind",
            "text",
            "",
            "continuous, discrete",
            "Slider or radio buttons",
        ),
        c(
            "min",
            "number",
            "",
            "any",
            "Smallest value; empty for a discrete dimension",
        ),
        c(
            "max",
            "number",
            "",
            "any",
            "Largest value; empty for a discrete dimension",
        ),
        c(
            "name",
            "text",
            "",
            "any",
            "Last name the participant gave to the dial in this stage; empty if none",
        ),
        c("start", "number", "", "min to max", "Value at the start"),
        c("target", "number", "", "min to max", "Value of the target"),
        c(
            "end",
            "number",
            "",
            "min to max",
            "Value at the last snapshot; empty before the first",
        ),
        c(
            "distance_widths",
            "number",
            "slider widths",
            "0 and up",
            "Its part of the question's slide distance",
        ),
        c(
            "slides",
            "integer",
            "",
            "0 and up",
            "How often it was taken up and slid; 0 for a discrete dimension",
        ),
        c(
            "selections",
            "integer",
            "",
            "0 and up",
            "How many selections were made; 0 for a continuous dimension",
        ),
        c(
            "touched_order",
            "integer",
            "",
            "0 and up",
            "Position among the dimensions in order of first movement, from 0; empty if never moved",
        ),
    ],
};

/// One row for each snapshot.
pub const SNAPSHOTS: Table = Table {
    name: "snapshots",
    row: "one stored state of a question",
    columns: &[
        SESSION,
        c(
            "seq",
            "integer",
            "",
            "0 and up",
            "Position in the event log",
        ),
        STAGE,
        QUESTION,
        c(
            "elapsed_ms",
            "integer",
            "ms",
            "0 and up",
            "Time since the question started at which the state was reached",
        ),
        c(
            "dimension",
            "integer",
            "",
            "0 and up",
            "Dimension last moved; empty before any was",
        ),
        c(
            "direction",
            "integer",
            "",
            "1, -1",
            "Direction it last moved in; empty before any was",
        ),
        c(
            "distance",
            "number",
            "",
            "0 to 1",
            "Distance to the target; alignment is 1 minus this",
        ),
        c(
            "squared_error",
            "number",
            "",
            "0 and up",
            "Summed squared error to the target",
        ),
        c("z", "json", "", "list of numbers", "Latent vector"),
    ],
};

/// One row for each answer.
pub const ANSWERS: Table = Table {
    name: "answers",
    row: "one answer to one item of a questionnaire",
    columns: &[
        SESSION,
        c(
            "stage",
            "integer",
            "",
            "0 and up",
            "Stage the questionnaire followed, as in questions; empty at the end of the session",
        ),
        c(
            "stage_id",
            "text",
            "",
            "any",
            "Name of that stage; empty at the end",
        ),
        c(
            "model",
            "text",
            "",
            "any",
            "Model of that stage; empty at the end",
        ),
        c(
            "questionnaire",
            "text",
            "",
            "any",
            "Name of the questionnaire; 'seq' is the Single Ease Question, 1 very easy to 7 very difficult",
        ),
        c("item", "text", "", "any", "Name of the item"),
        c(
            "at_ms",
            "integer",
            "ms",
            "0 and up",
            "When it was handed in, since the session's start",
        ),
        c(
            "answer_number",
            "integer",
            "",
            "any",
            "The point chosen on a scale; empty for other items",
        ),
        c(
            "answer_text",
            "text",
            "",
            "any",
            "Free text or the option chosen; several options as a JSON list; empty for scales",
        ),
    ],
};

/// One row for each event.
pub const EVENTS: Table = Table {
    name: "events",
    row: "one event of the log; the JSON Lines file holds the events exactly as stored",
    columns: &[
        SESSION,
        c(
            "seq",
            "integer",
            "",
            "0 and up",
            "Position in the log, without gaps",
        ),
        c(
            "at_ms",
            "integer",
            "ms",
            "0 and up",
            "Time since the session's start",
        ),
        c("format", "integer", "", "1", "Format version of the record"),
        c("kind", "text", "", "any", "What happened"),
        c("detail", "json", "", "object", "The event's other fields"),
    ],
};

/// All tables.
pub const TABLES: [Table; 6] = [SESSIONS, QUESTIONS, DIMENSIONS, SNAPSHOTS, ANSWERS, EVENTS];
