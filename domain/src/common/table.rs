//! Tables of an export: each column is declared beside the code that fills it.

use serde_json::Value;

/// The type of a cell's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Words.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A moment, as RFC 3339.
    Time,
    /// A list of numbers, as JSON.
    Numbers,
    /// Another JSON value, such as an object.
    Json,
}

crate::json::named!(ColumnType: Text, Integer, Number, Boolean, Time, Numbers, Json);

/// The description of a column for researchers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name in the files. Stable: analyses depend on it.
    pub name: &'static str,
    /// The type of its cells' values.
    pub column_type: ColumnType,
    /// Unit; empty where there is none.
    pub unit: &'static str,
    /// Allowed values, in words; empty where the type says enough.
    pub allowed: &'static str,
    /// Its meaning, and when it is empty.
    pub meaning: &'static str,
    /// Whether a cell can say who somebody is. It is left out unless it is asked for.
    pub identifying: bool,
    /// Whether a list of the rows shows it where nobody has chosen columns.
    pub usual: bool,
    /// Whether it leads to the session's replay. The cell is filled with the moment, in milliseconds since the session's
    /// start, or with an empty text for the session as a whole; whoever writes the table makes a link of it.
    pub link: bool,
}

/// A column of a table whose rows are made from `R`.
pub struct Field<R: ?Sized> {
    /// Its description for researchers.
    pub column: Column,
    /// Fills a cell; null gives an empty one.
    pub value: fn(&R) -> Value,
}

/// The columns of a table, each with what fills it from a row: two lines a column.
///
/// `"name": "meaning, and when it is empty", Type, "unit", "allowed values" => value;` and
/// `identifying` behind the allowed values where a cell can say who somebody is, `usual` where a list shows it, `link` where
/// it leads to the session's replay.
#[macro_export]
macro_rules! fields {
    (|$row:ident: &$Row:ty| $(
        $name:literal: $meaning:literal,
        $Type:ident, $unit:literal, $allowed:expr $(, $mark:ident)* => $value:expr;
    )*) => {
        vec![$(
            $crate::common::table::Field {
                column: $crate::common::table::Column {
                    name: $name,
                    column_type: $crate::common::table::ColumnType::$Type,
                    unit: $unit,
                    allowed: $allowed,
                    meaning: $meaning,
                    identifying: false,
                    usual: false,
                    link: false,
                },
                value: |$row: &$Row| ::serde_json::json!($value),
            }$(.$mark())*,
        )*]
    };
}

impl<R: ?Sized> Field<R> {
    /// The same column, whose cells can say who somebody is.
    #[must_use]
    pub fn identifying(mut self) -> Self {
        self.column.identifying = true;
        self
    }

    /// The same column, which a list shows where nobody has chosen columns.
    #[must_use]
    pub fn usual(mut self) -> Self {
        self.column.usual = true;
        self
    }

    /// The same column, which leads to the session's replay.
    #[must_use]
    pub fn link(mut self) -> Self {
        self.column.link = true;
        self
    }
}

/// The cells of a row, one for each column.
pub type Cells = Vec<Value>;
