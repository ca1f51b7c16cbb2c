//! What makes arrays unfit for a measure, with the place and what to do.

/// Something that must be mended before a measure can be computed. Rows and columns count from 0, as numpy counts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// A measure needs an array that is not there.
    #[error("{measure} needs {array}: {what}")]
    Missing {
        /// The measure.
        measure: &'static str,
        /// The array's name.
        array: &'static str,
        /// What it holds.
        what: &'static str,
    },
    /// There are no numbers.
    #[error("{array}: there are no numbers in it")]
    Empty {
        /// The array's name.
        array: &'static str,
    },
    /// A number is infinite or no number.
    #[error(
        "{array}: row {row}, column {column} is {value}; leave the row out, or put a number in"
    )]
    NotFinite {
        /// The array's name.
        array: &'static str,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// What is there.
        value: f64,
    },
    /// More places have the fault that was named before.
    #[error("{array}: {count} more numbers are wrong in the same way")]
    More {
        /// The array's name.
        array: &'static str,
        /// How many.
        count: usize,
    },
    /// An array has not the axes that are needed.
    #[error("{array}: its shape is {found:?}, and {wanted} is needed")]
    Shape {
        /// The array's name.
        array: &'static str,
        /// Its axes.
        found: Vec<usize>,
        /// The axes that are needed, in words.
        wanted: String,
    },
    /// Arrays that belong together differ in length.
    #[error("{array} has {found} {axis}, and {beside} has {expected}: they must be as many")]
    Lengths {
        /// The array's name.
        array: &'static str,
        /// What is counted: rows, columns.
        axis: &'static str,
        /// How many there are.
        found: usize,
        /// The other array's name.
        beside: &'static str,
        /// How many that has.
        expected: usize,
    },
    /// A label is no whole number from 0 on.
    #[error("{array}: row {row}, column {column} is {value}; labels are whole numbers from 0 on")]
    NotALabel {
        /// The array's name.
        array: &'static str,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// What is there.
        value: f64,
    },
    /// A label is neither 0 nor 1.
    #[error("{array}: row {row}, column {column} is {value}, and must be 0 or 1: {why}")]
    NotBinary {
        /// The array's name.
        array: &'static str,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// What is there.
        value: f64,
        /// Why.
        why: &'static str,
    },
    /// A whole number names a class, a term or a pixel that there is not.
    #[error("{array}: row {row}, column {column} is {value}, and must be below {end}: {why}")]
    TooLarge {
        /// The array's name.
        array: &'static str,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// What is there.
        value: f64,
        /// The first number that is too large.
        end: usize,
        /// Why.
        why: &'static str,
    },
    /// A place lies outside the image.
    #[error(
        "centres: row {row}, column {column} is {at:?}, outside an image of {height} × {width}; say how large images are"
    )]
    Outside {
        /// The image.
        row: usize,
        /// The concept.
        column: usize,
        /// Row and column in pixels.
        at: [f64; 2],
        /// Rows of the image.
        height: usize,
        /// Columns of the image.
        width: usize,
    },
    /// An answer is neither a term nor none.
    #[error(
        "answers: row {row}, column {column} has {value}; an answer is a whole number from 0 on, or −1 for none"
    )]
    NotAnAnswer {
        /// The person.
        row: usize,
        /// The concept.
        column: usize,
        /// What is there.
        value: f64,
    },
    /// There are too few of something.
    #[error("{array} has {found} {of}, and at least {needed} are needed")]
    TooFew {
        /// The array's name.
        array: &'static str,
        /// Of what: rows, columns.
        of: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A row is named that is not there.
    #[error("{array} names row {row}, and there are {rows} rows")]
    NoSuchRow {
        /// What names it.
        array: &'static str,
        /// The row.
        row: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// A parameter is outside its range.
    #[error("{name} is {value}, and must be {wanted}")]
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        wanted: String,
    },
    /// A measure has no parameter, variant or estimator of that name.
    #[error("{measure} has no {what} called {name}; there are: {there_are}")]
    NoSuch {
        /// The measure.
        measure: &'static str,
        /// Parameter, variant, estimator.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The names that there are.
        there_are: String,
    },
    /// Numbers must not be below zero here.
    #[error("{array}: row {row}, column {column} is {value}, and must not be below 0: {why}")]
    Negative {
        /// The array's name.
        array: &'static str,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// What is there.
        value: f64,
        /// Why.
        why: &'static str,
    },
}

/// A value, or all that is wrong.
pub type Checked<T> = Result<T, Vec<Problem>>;
