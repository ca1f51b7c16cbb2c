//! A table of numbers from Parquet, as pandas and polars write it.

use std::fs::File;

use anyhow::{Context as _, bail};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

/// What every such file begins with.
pub const MAGIC: [u8; 4] = *b"PAR1";

/// The index that pandas keeps beside its columns.
const INDEX: &str = "__index_level_0__";

/// The shape and the numbers, row by row.
///
/// # Errors
/// When it is no Parquet file; a column that holds no numbers, or a cell that is empty, with its place.
pub fn read(file: File) -> anyhow::Result<(Vec<usize>, Vec<f64>)> {
    let reader = SerializedFileReader::new(file).context("it is no whole Parquet file")?;
    let (mut values, mut rows, mut width) = (Vec::new(), 0, 0);
    for row in reader.get_row_iter(None).context("it cannot be read")? {
        let row = row.with_context(|| format!("row {rows} cannot be read"))?;
        let before = values.len();
        let columns = row.get_column_iter().filter(|(name, _)| *name != INDEX);
        for (name, field) in columns {
            values.push(number(field).with_context(|| format!("row {rows}, column {name:?}"))?);
        }
        width = values.len() - before;
        rows += 1;
    }
    Ok((vec![rows, width], values))
}

fn number(field: &Field) -> anyhow::Result<f64> {
    Ok(match *field {
        Field::Bool(value) => f64::from(u8::from(value)),
        Field::Byte(value) => value.into(),
        Field::Short(value) => value.into(),
        Field::Int(value) => value.into(),
        Field::Long(value) => value as f64,
        Field::UByte(value) => value.into(),
        Field::UShort(value) => value.into(),
        Field::UInt(value) => value.into(),
        Field::ULong(value) => value as f64,
        Field::Float16(value) => value.into(),
        Field::Float(value) => value.into(),
        Field::Double(value) => value,
        Field::Null => bail!("the cell is empty; leave the row out, or put a number in"),
        ref other => bail!("{other} is no number; leave the column out"),
    })
}
