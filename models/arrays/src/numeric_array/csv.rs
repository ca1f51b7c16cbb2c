//! CSV: numbers with commas, semicolons, tabs or blanks between them, a row a line.

use super::{MAX_VALUES, NumericArray};

/// Reads rows of numbers. A first line of names is passed over, and so are empty lines
/// and those that begin with `#` (as `numpy.savetxt` writes a header). A first column without a
/// name beside columns that have one is the index that pandas writes, and no part of the numbers.
pub fn read(bytes: &[u8]) -> Result<NumericArray, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| "it is neither an .npy file nor text".to_owned())?
        .trim_start_matches('\u{feff}');
    let mut values = Vec::new();
    let mut width = None;
    let mut rows = 0;
    // Columns that are passed over.
    let (mut first, mut leading) = (true, 0);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells = cells(line);
        let named = std::mem::take(&mut first);
        if named && cells.iter().all(|cell| cell.parse::<f64>().is_err()) {
            leading = usize::from(cells.len() > 1 && cells[0].is_empty());
            continue;
        }
        let cells = cells.get(leading..).unwrap_or_default();
        if *width.get_or_insert(cells.len()) != cells.len() {
            return Err(format!(
                "line {} has {} values, the lines before have {}",
                index + 1,
                cells.len(),
                width.unwrap_or(0)
            ));
        }
        for (column, cell) in cells.iter().enumerate() {
            values.push(cell.parse().map_err(|_| {
                format!(
                    "line {}, column {}: {cell:?} is no number",
                    index + 1,
                    column + 1 + leading
                )
            })?);
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
            "line 3, column 2: \"x\" is no number"
        );
        assert_eq!(
            no("1,2\n\n3\n"),
            "line 3 has 1 values, the lines before have 2"
        );
        assert!(read(&[0xff, 0xfe]).unwrap_err().contains("neither"));
    }
}
