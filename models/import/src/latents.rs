//! Held-out latent vectors of a lab, and the dials they make.

use domain::model::latent::{Dimension, LatentSpace};
use models::dials::{slider, usual_step, within};

use super::error::ImportError;
use arrays::NumericArray;

/// Number of latent vectors that go into a bundle; of more, as many evenly spread.
pub const MOST_ROWS: usize = 1000;

/// Number of latent vectors below which questions soon repeat.
pub const FEW_ROWS: usize = 30;
/// Largest end of a slider.
const LARGEST: f64 = 1e6;

/// What is told of the dials; the rest is worked out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LatentOptions {
    /// Numbers of alternatives of the choices that the decoder takes first, each as a
    /// vector of zeros with a one (one-hot).
    pub choices: Vec<u16>,
    /// Ends of the sliders, one pair for each or one for all; none: the smallest and the
    /// largest held-out value.
    pub ranges: Vec<(f64, f64)>,
    /// Step of the sliders.
    pub step: Option<f64>,
}

/// Latent vectors in a latent space.
#[derive(Debug, Clone, PartialEq)]
pub struct Latents {
    /// The space.
    pub space: LatentSpace,
    /// The vectors as a bundle holds them, choices as indices.
    pub rows: Vec<Vec<f32>>,
    /// For each vector its row of the table.
    pub of: Vec<usize>,
    /// Number of rows of the table that lie outside of the ranges told.
    pub outside: usize,
    /// Number of rows of the table.
    pub given: usize,
    /// All rows within the ranges, which percentiles are taken over.
    pub measured: Vec<Vec<f64>>,
}

impl Latents {
    /// Reads the vectors of a table for a decoder that takes `width` values. Choices may
    /// be indices, or as the decoder takes them.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn of(
        table: &NumericArray,
        width: usize,
        dials: &LatentOptions,
    ) -> Result<Self, ImportError> {
        let wishes = |problem: String| ImportError::Wishes(vec![problem]);
        let alternatives: usize = dials.choices.iter().map(|&n| usize::from(n)).sum();
        let sliders = width.checked_sub(alternatives).ok_or_else(|| {
            wishes(format!(
                "the choices take {alternatives} values, the decoder only {width}"
            ))
        })?;
        if !dials.ranges.is_empty() && dials.ranges.len() != 1 && dials.ranges.len() != sliders {
            return Err(wishes(format!(
                "{} ranges for {sliders} sliders; give one for each, or one for all",
                dials.ranges.len()
            )));
        }
        let dimensions = dials.choices.len() + sliders;
        let given = table.width();
        let rows: Vec<Vec<f64>> = if given == dimensions {
            table.iter().map(<[f64]>::to_vec).collect()
        } else if given == width {
            table
                .iter()
                .enumerate()
                .map(|(row, z)| indexed(z, &dials.choices).map_err(|p| in_row(row, &p)))
                .collect::<Result<_, _>>()?
        } else {
            let of_choices = if dials.choices.is_empty() {
                ""
            } else {
                " (or of one index for each choice, then the sliders)"
            };
            return Err(wishes(format!(
                "the latents have rows of {given} values, the decoder takes {width}{of_choices}"
            )));
        };
        let choices = dials.choices.iter();
        let choices = choices.map(|&values| Dimension::Discrete { values });
        let sliders = (0..sliders).map(|i| {
            let column = rows.iter().map(move |z| z[dials.choices.len() + i]);
            let told = dials.ranges.get(i).or(dials.ranges.first());
            dial(column, told.copied(), dials.step)
        });
        let space = LatentSpace::new(choices.chain(sliders).collect())
            .map_err(|error| wishes(error.to_string()))?;

        for (nth, dimension) in space.dimensions().iter().enumerate() {
            if let Dimension::Continuous { min, max, .. } = *dimension
                && min.abs().max(max.abs()) > LARGEST
            {
                return Err(wishes(format!(
                    "slider {} would reach from {min:e} to {max:e}; ends beyond ±{LARGEST:e} are no latents: give others with --range, or scale the latents",
                    nth + 1
                )));
            }
        }
        let inside = |z: &[f64]| {
            z.iter().zip(space.dimensions()).all(|(&v, d)| match *d {
                Dimension::Discrete { .. } => true,
                Dimension::Continuous { min, max, .. } => (min..=max).contains(&v),
            })
        };
        let mut kept: Vec<usize> = (0..rows.len()).filter(|&row| inside(&rows[row])).collect();
        let outside = rows.len() - kept.len();
        if kept.is_empty() {
            return Err(wishes(
                "none of the latents lies within the ranges given".to_owned(),
            ));
        }
        let first = &rows[kept[0]];
        if kept.iter().all(|&row| rows[row] == *first) {
            return Err(wishes(format!(
                "the latents hold {}, and a question leads from one to another: give at least two that differ, better some hundred",
                match kept.len() {
                    1 => "a single vector".to_owned(),
                    n => format!("{n} times the same vector"),
                }
            )));
        }
        let measured = kept.iter().map(|&row| rows[row].clone()).collect();
        if kept.len() > MOST_ROWS {
            kept = (0..MOST_ROWS)
                .map(|i| kept[i * kept.len() / MOST_ROWS])
                .collect();
        }
        let given = rows.len();
        let rows: Vec<Vec<f32>> = kept
            .iter()
            .map(|&row| {
                let dimensions = space.dimensions().iter();
                let z = rows[row].iter().zip(dimensions);
                z.map(|(&v, d)| within(v as f32, d)).collect()
            })
            .collect();
        for (z, &row) in rows.iter().zip(&kept) {
            let wide: Vec<f64> = z.iter().map(|&v| f64::from(v)).collect();
            space
                .validate(&wide)
                .map_err(|error| in_row(row, &error.to_string()))?;
        }
        Ok(Self {
            space,
            rows,
            of: kept,
            outside,
            given,
            measured,
        })
    }

    /// The dimensions, from 0, that are the same in all vectors: nobody will ever have to move them.
    #[must_use]
    pub fn unvaried(&self) -> Vec<usize> {
        let same = |&at: &usize| self.rows.iter().all(|z| z[at] == self.rows[0][at]);
        (0..self.space.dimensions().len()).filter(same).collect()
    }

    /// The vectors in f64, as they are worked with.
    #[must_use]
    pub fn wide(&self) -> Vec<Vec<f64>> {
        let wide = |z: &Vec<f32>| z.iter().map(|&v| f64::from(v)).collect();
        self.rows.iter().map(wide).collect()
    }
}

fn in_row(row: usize, problem: &str) -> ImportError {
    ImportError::file(format!("row {} of the latents: {problem}", row + 1))
}

fn dial(
    column: impl Iterator<Item = f64> + Clone,
    told: Option<(f64, f64)>,
    step: Option<f64>,
) -> Dimension {
    if let Some((min, max)) = told {
        let step = step.unwrap_or_else(|| usual_step(max - min));
        return Dimension::Continuous { min, max, step };
    }
    let ends = column
        .clone()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), v| {
            (min.min(v), max.max(v))
        });
    slider(column, step.unwrap_or_else(|| usual_step(ends.1 - ends.0)))
}

/// Zeros with a one become its index, for each choice; the rest follows.
fn indexed(z: &[f64], choices: &[u16]) -> Result<Vec<f64>, String> {
    let mut rest = z;
    let mut found = Vec::with_capacity(z.len());
    for &values in choices {
        let (one_hot, after) = rest.split_at(usize::from(values));
        rest = after;
        let near = |v: f64, to: f64| (v - to).abs() < 1e-3;
        let ones = one_hot.iter().filter(|&&v| near(v, 1.0)).count();
        let zeros = one_hot.iter().filter(|&&v| near(v, 0.0)).count();
        if ones != 1 || ones + zeros != one_hot.len() {
            return Err(format!("{one_hot:?} is no choice: zeros and a one"));
        }
        let index = one_hot.iter().position(|&v| near(v, 1.0)).unwrap_or(0);
        found.push(index as f64);
    }
    found.extend_from_slice(rest);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[f64]]) -> NumericArray {
        NumericArray {
            shape: vec![rows.len(), rows[0].len()],
            values: rows.concat(),
        }
    }

    #[test]
    fn sliders_reach_as_far_as_the_latents() {
        let table = table(&[&[-1.234, 500.0], &[0.5, 12.0], &[2.0, 37.2]]);
        let latents = Latents::of(&table, 2, &LatentOptions::default()).unwrap();
        assert_eq!(
            latents.space.dimensions(),
            [
                Dimension::Continuous {
                    min: -1.24,
                    max: 2.0,
                    step: 0.01
                },
                Dimension::Continuous {
                    min: 12.0,
                    max: 500.0,
                    step: 0.1
                }
            ]
        );
        assert_eq!(latents.of, [0, 1, 2]);
    }

    #[test]
    fn rows_outside_of_a_range_are_left_out_and_counted() {
        let table = table(&[&[-1.0, 0.0], &[-3.0, 0.0], &[2.0, 9.0]]);
        let with = |ranges: &[(f64, f64)]| {
            let ranges = ranges.to_vec();
            Latents::of(
                &table,
                2,
                &LatentOptions {
                    ranges,
                    ..LatentOptions::default()
                },
            )
        };
        let one = with(&[(-2.0, 2.0)]).unwrap_err().to_string();
        assert!(one.contains("a single vector"), "{one}");
        let latents = with(&[(-4.0, 2.0)]).unwrap();
        assert_eq!((latents.of, latents.outside), (vec![0, 1], 1));
        let latents = with(&[(-2.0, 2.0), (0.0, 10.0)]).unwrap();
        assert_eq!((latents.of, latents.outside), (vec![0, 2], 1));
        let none = with(&[(5.0, 6.0)]).unwrap_err().to_string();
        assert!(none.contains("none of the latents"), "{none}");
        let many = with(&[(5.0, 6.0); 3]).unwrap_err().to_string();
        assert!(many.contains("3 ranges for 2 sliders"), "{many}");
        let turned = with(&[(2.0, -2.0)]).unwrap_err().to_string();
        assert!(turned.contains("min must not be above max"), "{turned}");
    }

    #[test]
    fn choices_are_indices_or_one_hot() {
        let dials = LatentOptions {
            choices: vec![3],
            ..LatentOptions::default()
        };
        let hot = table(&[&[0.0, 0.0, 1.0, 0.25], &[1.0, 0.0, 0.0, 0.5]]);
        let index = table(&[&[2.0, 0.25], &[0.0, 0.5]]);
        let latents = Latents::of(&hot, 4, &dials).unwrap();
        assert_eq!(latents.rows, [[2.0, 0.25], [0.0, 0.5]]);
        assert_eq!(latents, Latents::of(&index, 4, &dials).unwrap());
        let no = |rows: &[&[f64]]| {
            Latents::of(&table(rows), 4, &dials)
                .unwrap_err()
                .to_string()
        };
        assert!(no(&[&[0.5, 0.5, 0.0, 1.0]]).contains("no choice"));
        assert!(no(&[&[1.0, 1.0, 0.0, 1.0]]).contains("row 1"));
        assert!(no(&[&[3.0, 0.0], &[0.0, 0.5]]).contains("dimension 0 is 3"));
        assert!(no(&[&[3.0, 0.0, 1.0]]).contains("rows of 3 values"));
    }

    #[test]
    fn dimensions_that_never_vary_are_told() {
        let table = table(&[&[0.0, 0.5, 3.0], &[1.0, 0.5, 2.0], &[2.0, 0.5, 3.0]]);
        let latents = Latents::of(&table, 3, &LatentOptions::default()).unwrap();
        assert_eq!(latents.unvaried(), [1]);
    }

    #[test]
    fn of_many_rows_some_are_taken_evenly() {
        let values: Vec<f64> = (0..2500).map(f64::from).collect();
        let table = NumericArray {
            shape: vec![2500, 1],
            values,
        };
        let latents = Latents::of(&table, 1, &LatentOptions::default()).unwrap();
        assert_eq!(latents.rows.len(), MOST_ROWS);
        assert_eq!(latents.of[..3], [0, 2, 5]);
        assert_eq!(latents.of[999], 2497);
        assert_eq!((latents.given, latents.measured.len()), (2500, 2500));
    }

    #[test]
    fn a_single_latent_and_huge_sliders_are_refused() {
        let said = |rows: &[&[f64]]| {
            Latents::of(&table(rows), 2, &LatentOptions::default())
                .unwrap_err()
                .to_string()
        };
        assert!(said(&[&[0.5, 1.0]]).contains("a single vector"));
        assert!(said(&[&[0.5, 1.0], &[0.5, 1.0]]).contains("2 times the same"));
        let huge = said(&[&[-1e30, 1.0], &[1e30, 2.0]]);
        assert!(
            huge.contains("slider 1") && huge.contains("--range"),
            "{huge}"
        );
    }
}
