//! CSV: numbers with commas, semicolons, tabs or blanks between them, a row a line.

use super::{MAX_VALUES, NumericArray};

/// Reads rows of numbers. A first line of names is passed over, and so are empty lines
/// and those that begin with `#` (as `numpy.savetxt` writes a header). A first column without a
/// name beside columns that have one is the index that pandas writes, and no part of the numbers.
///
/// pandas names columns that have no names 0, 1, 2, … Such a first line is one of names where it cannot be a row: no
/// other line has a whole number in any column (pandas, polars and numpy write 0.0 in a column of fractions), or the
/// first cell is empty and the column below counts 0, 1, 2, … Where it may be either, it is refused: neither a row is
/// lost nor are names read as a row. A single column is never taken as named 0.
pub fn read(bytes: &[u8]) -> Result<NumericArray, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| "it is neither an .npy file nor text".to_owned())?
        .trim_start_matches('\u{feff}');
    let lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let mut lines = lines.peekable();
    let mut first = First::Row;
    if let Some((number, line)) = lines.peek() {
        let (number, cells) = (*number, cells(line));
        first = First::of(&cells);
        if first != First::Row {
            lines.next();
            let rest = lines.clone().map(|(_, line)| self::cells(line));
            first.check(number, &cells, rest)?;
        }
    }
    let leading = usize::from(matches!(
        first,
        First::Names { index: true } | First::CountsBesideIndex
    ));
    let (mut values, mut width, mut rows) = (Vec::new(), None, 0);
    for (number, line) in lines {
        let cells = cells(line);
        let cells = cells.get(leading..).unwrap_or_default();
        if *width.get_or_insert(cells.len()) != cells.len() {
            return Err(format!(
                "line {number} has {} values, the lines before have {}",
                cells.len(),
                width.unwrap_or(0)
            ));
        }
        for (column, cell) in cells.iter().enumerate() {
            values.push(
                cell.parse().map_err(|_| {
                    format!("line {number}, column {column}: {cell:?} is no number")
                })?,
            );
        }
        if values.len() > MAX_VALUES {
            return Err("it holds too many numbers".to_owned());
        }
        rows += 1;
    }
    Ok(NumericArray {
        shape: vec![rows, width.unwrap_or(0)],
        values,
    })
}

/// What the first line is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum First {
    /// Numbers like the others.
    Row,
    /// Names of columns, beside the index of pandas or not.
    Names { index: bool },
    /// 0, 1, 2, … : what pandas calls columns without names, or numbers.
    Counts,
    /// Nothing, then 0, 1, 2, …: the same, beside the index of pandas.
    CountsBesideIndex,
}

impl First {
    fn of(cells: &[&str]) -> Self {
        let counts = |cells: &[&str]| {
            let mut each = cells.iter().enumerate();
            each.all(|(at, cell)| *cell == at.to_string())
        };
        match cells {
            cells if cells.iter().all(|cell| cell.parse::<f64>().is_err()) => Self::Names {
                index: cells.len() > 1 && cells[0].is_empty(),
            },
            ["", rest @ ..] if counts(rest) => Self::CountsBesideIndex,
            [_, _, ..] if counts(cells) => Self::Counts,
            _ => Self::Row,
        }
    }

    /// Whether the first line is one of names beyond doubt.
    ///
    /// # Errors
    /// Says what to do where it is not.
    fn check<'a>(
        self,
        number: usize,
        cells: &[&str],
        rest: impl Iterator<Item = Vec<&'a str>>,
    ) -> Result<(), String> {
        match self {
            Self::Row | Self::Names { .. } => Ok(()),
            Self::CountsBesideIndex => {
                let counts = |(at, row): (usize, Vec<&str>)| row.first() == Some(&&*at.to_string());
                if rest.enumerate().all(counts) {
                    return Ok(());
                }
                Err(format!(
                    "line {number} begins with an empty cell, but the first column is not the index 0, 1, 2, … of \
                     pandas; save it with to_csv(index=False), or put a number into the cell"
                ))
            }
            Self::Counts => {
                let mut rest = rest.peekable();
                let whole = |cell: &&str| cell.parse::<i64>().is_ok();
                if rest.peek().is_some() && !rest.any(|row| row.iter().any(whole)) {
                    return Ok(());
                }
                let line = cells.join(",");
                Err(format!(
                    "line {number} is {line}, which may be names of columns, as pandas writes them, or numbers. If it \
                     is names, save without them (to_csv(index=False, header=False)). If it is numbers, put a line of \
                     names above it, or save an .npy file"
                ))
            }
        }
    }
}

fn cells(line: &str) -> Vec<&str> {
    match [',', ';', '\t'].into_iter().find(|&sep| line.contains(sep)) {
        Some(separator) => line
            .trim_end_matches(separator)
            .split(separator)
            .map(|cell| cell.trim().trim_matches('"'))
            .collect(),
        None => line.split_whitespace().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_numbers_are_read_whatever_is_between_them() {
        for text in [
            "1,-2.5,3e-1\n4,5,6\n",
            "\u{feff}z1,z2,z3\r\n1,-2.5,0.3\r\n4,5,6\r\n",
            "# numpy\n1 -2.5 3.0e-01\n\n4 5 6",
            "1;-2.5;0.3;\n4;5;6;\n",
            "\"a\"\t\"b\"\t\"c\"\n1\t-2.5\t0.3\n4\t5\t6",
            ",a,b,c\n0,1,-2.5,0.3\n1,4,5,6\n",
        ] {
            let table = read(text.as_bytes()).unwrap();
            assert_eq!(table.shape, [2, 3], "{text:?}");
            assert_eq!(table.values, [1.0, -2.5, 0.3, 4.0, 5.0, 6.0]);
        }
    }

    #[test]
    fn problems_are_named_with_their_place() {
        let no = |text: &str| read(text.as_bytes()).unwrap_err();
        assert_eq!(
            no("a,b\n1,2\n3,x\n"),
            "line 3, column 1: \"x\" is no number"
        );
        assert_eq!(
            no("1,2\n\n3\n"),
            "line 3 has 1 values, the lines before have 2"
        );
        assert_eq!(
            no(",a,b\n0,1,2\n1,x,3\n"),
            "line 3, column 0: \"x\" is no number",
            "the index is no column"
        );
        assert!(read(&[0xff, 0xfe]).unwrap_err().contains("neither"));
    }

    /// What pandas 3.1.1 and polars 2.1.0 write of one array:
    ///
    /// ```python
    /// import numpy as np, pandas as pd, polars as pl
    /// z = np.array([[0.5, 1.0, -2.25], [3.0, 1e-7, 0.0]])
    /// print(repr(pd.DataFrame(z).to_csv(index=False)), repr(pd.DataFrame(z).to_csv()))
    /// print(repr(pl.DataFrame(z).write_csv()))
    /// ```
    #[test]
    fn columns_that_pandas_names_by_numbers_are_names() {
        for text in [
            "0,1,2\n0.5,1.0,-2.25\n3.0,1e-07,0.0\n",
            ",0,1,2\n0,0.5,1.0,-2.25\n1,3.0,1e-07,0.0\n",
            "column_0,column_1,column_2\n0.5,1.0,-2.25\n3.0,1e-7,0.0\n",
        ] {
            let table = read(text.as_bytes()).unwrap();
            assert_eq!(table.shape, [2, 3], "{text:?}");
            assert_eq!(table.values, [0.5, 1.0, -2.25, 3.0, 1e-7, 0.0]);
        }
        // print(repr(pd.DataFrame(np.array([[1, 0], [0, 1]])).to_csv())): whole numbers beside the index.
        let table = read(b",0,1\n0,1,0\n1,0,1\n").unwrap();
        assert_eq!(table.values, [1.0, 0.0, 0.0, 1.0]);
    }

    /// The first would be pd.DataFrame(np.array([[1, 0], [0, 1]])).to_csv(index=False), or three rows of labels.
    #[test]
    fn a_first_line_that_may_be_names_or_numbers_is_refused() {
        for text in ["0,1\n1,0\n0,1\n", "0,1\n0.5,0\n", "0,1,2\n", "0 1\n1 1\n"] {
            let why = read(text.as_bytes()).unwrap_err();
            assert!(why.starts_with("line 1 is 0,1"), "{text:?}: {why}");
            assert!(why.contains("header=False"), "{why}");
        }
        let named = read(b"a,b\n0,1\n1,0\n").unwrap();
        assert_eq!((named.shape, named.values[1]), (vec![2, 2], 1.0));
        // A column by itself: the first number of a list of labels is 0 as often as not.
        assert_eq!(read(b"0\n1\n0\n").unwrap().shape, [3, 1]);
        // Numbers that count, but not as a whole number is written, and lines that do not count from 0.
        assert_eq!(read(b"0.0,1.0\n0.5,0.5\n").unwrap().shape, [2, 2]);
        assert_eq!(read(b"1,2\n0.5,0.5\n").unwrap().shape, [2, 2]);
        let why = read(b",0,1\n5,1,0\n3,0,1\n").unwrap_err();
        assert!(why.contains("index=False"), "{why}");
    }
}
