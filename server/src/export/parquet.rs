//! A table as a Parquet file: columns of the declared types, compressed with zstd.
//!
//! Rows are kept until there are enough for a row group, which is then written column by column.
//! A row group ends with a session where it can, and before it is too large where it cannot.

use std::sync::Arc;

use domain::common::table::{Cells, Column, ColumnType};
use jiff::Timestamp;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use serde_json::Value;

use super::error::ExportError;
use super::files::HashedFile;

/// A row group holds no more sessions than this, so that a reader finds those of one at once.
const SESSIONS_PER_GROUP: usize = 200;

/// Nor more rows.
const ROWS_PER_GROUP: usize = 50_000;

/// Nor more bytes than about this, before they are compressed: it is what waits in memory.
const BYTES_PER_GROUP: usize = 8 << 20;

/// A Parquet file that is being written.
pub(super) struct ParquetFile {
    table: &'static str,
    out: SerializedFileWriter<HashedFile>,
    columns: Vec<Waiting>,
    rows: usize,
    bytes: usize,
    sessions: usize,
}

impl ParquetFile {
    /// Starts a file for a table with these columns.
    pub(super) fn create(
        table: &'static str,
        columns: &[Column],
        out: HashedFile,
    ) -> std::result::Result<Self, ExportError> {
        let path = out.path().to_owned();
        let failed = |error| ExportError::file(&path, std::io::Error::other(error));
        let fields = columns.iter().map(declared).collect::<Result<Vec<_>>>();
        let schema = fields
            .and_then(|fields| Type::group_type_builder(table).with_fields(fields).build())
            .map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            // Those of pages would stay in memory until the file is complete.
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_created_by(concat!("redial ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let out = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties));
        Ok(Self {
            table,
            out: out.map_err(failed)?,
            columns: columns.iter().map(Waiting::new).collect(),
            rows: 0,
            bytes: 0,
            sessions: 0,
        })
    }

    /// Takes in a row: a cell for each column.
    pub(super) fn row(&mut self, cells: &Cells) -> std::result::Result<(), ExportError> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            let Some(bytes) = column.push(cell) else {
                return Err(ExportError::Cell {
                    table: self.table,
                    column: column.column.name,
                    expected: column.column.column_type.name(),
                    found: cell.to_string(),
                });
            };
            self.bytes += bytes;
        }
        self.rows += 1;
        if self.rows >= ROWS_PER_GROUP || self.bytes >= BYTES_PER_GROUP {
            self.write_group()?;
        }
        Ok(())
    }

    /// Says that the rows of a session are complete.
    pub(super) fn session_ended(&mut self) -> std::result::Result<(), ExportError> {
        self.sessions += 1;
        if self.sessions >= SESSIONS_PER_GROUP {
            self.write_group()?;
        }
        Ok(())
    }

    /// Completes the file.
    pub(super) fn finish(mut self) -> std::result::Result<HashedFile, ExportError> {
        self.write_group()?;
        let path = self.out.inner().path().to_owned();
        let out = self.out.into_inner();
        out.map_err(|error| ExportError::file(&path, std::io::Error::other(error)))
    }

    fn write_group(&mut self) -> std::result::Result<(), ExportError> {
        self.sessions = 0;
        self.bytes = 0;
        if std::mem::take(&mut self.rows) == 0 {
            return Ok(());
        }
        let path = self.out.inner().path().to_owned();
        let written = self.write_columns();
        written.map_err(|error| ExportError::file(&path, std::io::Error::other(error)))
    }

    fn write_columns(&mut self) -> Result<()> {
        let mut group = self.out.next_row_group()?;
        for column in &mut self.columns {
            let out = group.next_column()?;
            column.write(out.ok_or_else(|| ParquetError::General("too few columns".into()))?)?;
        }
        group.close()?;
        Ok(())
    }
}

/// A column of the schema.
fn declared(column: &Column) -> Result<TypePtr> {
    let name = column.name;
    let (physical, logical) = match column.column_type {
        // JSON is told as text: that is what it is to most readers.
        ColumnType::Text | ColumnType::Json => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Integer => (Physical::INT64, None),
        ColumnType::Number => (Physical::DOUBLE, None),
        ColumnType::Boolean => (Physical::BOOLEAN, None),
        ColumnType::Time => {
            let logical = LogicalType::timestamp(true, TimeUnit::MILLIS);
            (Physical::INT64, Some(logical))
        }
        ColumnType::Numbers => return list_of_numbers(name),
    };
    let declared = Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()?;
    Ok(Arc::new(declared))
}

/// The three levels that the format prescribes for a list.
fn list_of_numbers(name: &str) -> Result<TypePtr> {
    let element = Type::primitive_type_builder("element", Physical::DOUBLE)
        .with_repetition(Repetition::OPTIONAL)
        .build()?;
    let list = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(element)])
        .build()?;
    let column = Type::group_type_builder(name)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(list)])
        .build()?;
    Ok(Arc::new(column))
}

/// Cells of a column that wait for their row group.
struct Waiting {
    column: Column,
    values: Values,
    /// Of each cell, or each element of a list, how much of it is there: 0 for none. A value that
    /// is there has 1, in a list 3; an empty list has 1, a null in a list 2.
    definitions: Vec<i16>,
    /// Of each element of a list, 0 if it is the first; empty for other columns.
    repetitions: Vec<i16>,
}

enum Values {
    Text(Vec<ByteArray>),
    Integer(Vec<i64>),
    Number(Vec<f64>),
    Boolean(Vec<bool>),
}

impl Waiting {
    fn new(column: &Column) -> Self {
        let values = match column.column_type {
            ColumnType::Text | ColumnType::Json => Values::Text(Vec::new()),
            ColumnType::Integer | ColumnType::Time => Values::Integer(Vec::new()),
            ColumnType::Number | ColumnType::Numbers => Values::Number(Vec::new()),
            ColumnType::Boolean => Values::Boolean(Vec::new()),
        };
        Self {
            column: *column,
            values,
            definitions: Vec::new(),
            repetitions: Vec::new(),
        }
    }

    /// Takes in a cell, and says about how many bytes it takes; `None` if it is of another type.
    fn push(&mut self, cell: &Value) -> Option<usize> {
        if self.column.column_type == ColumnType::Numbers {
            return self.push_list(cell);
        }
        // CSV cannot tell an empty text from a missing one, so neither does this.
        if cell.is_null() || cell.as_str() == Some("") {
            self.definitions.push(0);
            return Some(size_of::<i16>());
        }
        let bytes = match (&mut self.values, self.column.column_type) {
            (Values::Text(values), ColumnType::Json) => {
                let text = cell.to_string();
                let bytes = text.len();
                values.push(ByteArray::from(text.into_bytes()));
                bytes
            }
            (Values::Text(values), _) => {
                let text = cell.as_str()?;
                values.push(ByteArray::from(text));
                text.len()
            }
            (Values::Integer(values), ColumnType::Time) => {
                let time: Timestamp = cell.as_str()?.parse().ok()?;
                values.push(time.as_millisecond());
                size_of::<i64>()
            }
            (Values::Integer(values), _) => {
                values.push(cell.as_i64()?);
                size_of::<i64>()
            }
            (Values::Number(values), _) => {
                values.push(cell.as_f64()?);
                size_of::<f64>()
            }
            (Values::Boolean(values), _) => {
                values.push(cell.as_bool()?);
                size_of::<bool>()
            }
        };
        self.definitions.push(1);
        Some(bytes + size_of::<i16>())
    }

    fn push_list(&mut self, cell: &Value) -> Option<usize> {
        let Values::Number(values) = &mut self.values else {
            return None;
        };
        let elements: &[Value] = match cell {
            Value::Null => &[],
            list => list.as_array()?,
        };
        for (index, element) in elements.iter().enumerate() {
            self.repetitions.push(i16::from(index > 0));
            if element.is_null() {
                self.definitions.push(2);
            } else {
                values.push(element.as_f64()?);
                self.definitions.push(3);
            }
        }
        if elements.is_empty() {
            self.repetitions.push(0);
            self.definitions.push(i16::from(!cell.is_null()));
        }
        Some((elements.len() + 1) * (size_of::<f64>() + 2 * size_of::<i16>()))
    }

    /// Writes what waits, and forgets it.
    fn write(&mut self, mut out: SerializedColumnWriter<'_>) -> Result<()> {
        let definitions = Some(self.definitions.as_slice());
        let is_list = self.column.column_type == ColumnType::Numbers;
        let repetitions = is_list.then_some(self.repetitions.as_slice());
        match (&mut self.values, out.untyped()) {
            (Values::Text(values), ColumnWriter::ByteArrayColumnWriter(out)) => {
                out.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (Values::Integer(values), ColumnWriter::Int64ColumnWriter(out)) => {
                out.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (Values::Number(values), ColumnWriter::DoubleColumnWriter(out)) => {
                out.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (Values::Boolean(values), ColumnWriter::BoolColumnWriter(out)) => {
                out.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            _ => return Err(ParquetError::General("a column of another type".into())),
        }
        self.definitions.clear();
        self.repetitions.clear();
        out.close()
    }
}
