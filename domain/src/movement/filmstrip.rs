//! Filmstrips: along each dial, small pictures of what it would make from where all the others
//! stand (*feedforward*; Dang et al., CHI 2022). No DOM and no clock.
//!
//! They are decoded one at a time while the dials rest; the newest input makes what was planned
//! before it void. A dial's own previews do not depend on where it stands, so that those of the
//! dial that was moved stay as they are.

use std::sync::Arc;

use super::{Decode, Undecodable};
use crate::model::latent::{Dimension, LatentSpace};

/// Number of previews along a slider.
pub const PREVIEWS: usize = 7;

/// For how long the dials rest before previews are decoded.
pub const REST_MS: u64 = 120;

/// Where a dial's previews stand: evenly from one end of a slider to the other; each value of
/// radio buttons.
#[must_use]
pub fn positions(dimension: &Dimension) -> Vec<f64> {
    match dimension {
        Dimension::Discrete { values } => (0..*values).map(f64::from).collect(),
        Dimension::Continuous { .. } => (0..PREVIEWS)
            .map(|k| dimension.at_share(k as f64 / (PREVIEWS - 1) as f64))
            .collect(),
    }
}

/// The previews of one dial, from low to high.
pub type Strip = Arc<Vec<Arc<Vec<f32>>>>;

struct DialPreviews {
    dimension: usize,
    positions: Vec<f64>,
    /// Finished; empty before any were.
    strip: Strip,
    /// Whether the strip belongs to where the other dials stand.
    current: bool,
    /// The decoded previews of the next strip.
    next: Vec<Arc<Vec<f32>>>,
}

/// The previews of all dials that are shown.
pub struct Filmstrips {
    z: Vec<f64>,
    rows: Vec<DialPreviews>,
    /// When the dials were last moved; absent at the start of a question.
    moved_ms: Option<u64>,
}

impl Filmstrips {
    /// Strips for some dimensions of a space, none of them decoded.
    #[must_use]
    pub fn new(space: &LatentSpace, dimensions: &[usize], z: &[f64]) -> Self {
        let row = |&dimension: &usize| {
            let positions = positions(space.dimensions().get(dimension)?);
            Some(DialPreviews {
                dimension,
                positions,
                strip: Strip::default(),
                current: false,
                next: Vec::new(),
            })
        };
        Self {
            z: z.to_vec(),
            rows: dimensions.iter().filter_map(row).collect(),
            moved_ms: None,
        }
    }

    /// The dials stand at z now.
    pub fn stand_at(&mut self, z: &[f64], elapsed_ms: u64) {
        if self.z == z {
            return;
        }
        self.moved_ms = Some(elapsed_ms);
        for row in &mut self.rows {
            let elsewhere =
                |(index, (old, new)): (usize, (&f64, &f64))| index != row.dimension && old != new;
            if self.z.iter().zip(z).enumerate().any(elsewhere) {
                row.current = false;
                row.next.clear();
            }
        }
        self.z = z.to_vec();
    }

    /// Whether something is to be decoded now.
    #[must_use]
    pub fn is_due(&self, elapsed_ms: u64) -> bool {
        let rests = self.moved_ms.is_none_or(|at| elapsed_ms >= at + REST_MS);
        rests && self.rows.iter().any(|row| !row.current)
    }

    /// Decodes one preview. A strip is shown once all of it is there.
    ///
    /// # Errors
    /// When it cannot be decoded.
    pub fn step(&mut self, decode: &Decode) -> Result<(), Undecodable> {
        let Some(z) = self.wanted() else {
            return Ok(());
        };
        let mut picture = Vec::new();
        if !decode.at(&z, &mut picture) {
            return Err(Undecodable);
        }
        self.arrived(&z, picture);
        Ok(())
    }

    /// Where the next preview stands; `None` once all are there.
    #[must_use]
    pub fn wanted(&self) -> Option<Vec<f64>> {
        let row = self.rows.iter().find(|row| !row.current)?;
        let mut z = self.z.clone();
        if let (Some(value), Some(position)) =
            (z.get_mut(row.dimension), row.positions.get(row.next.len()))
        {
            *value = *position;
        }
        Some(z)
    }

    /// A preview has been decoded. It counts only if it still is the one that is wanted.
    pub fn arrived(&mut self, z: &[f64], picture: Vec<f32>) {
        if self.wanted().as_deref() != Some(z) {
            return;
        }
        let Some(row) = self.rows.iter_mut().find(|row| !row.current) else {
            return;
        };
        row.next.push(Arc::new(picture));
        if row.next.len() == row.positions.len() {
            row.strip = Arc::new(std::mem::take(&mut row.next));
            row.current = true;
        }
    }

    /// The strip of each dial, and whether it belongs to where the others stand now.
    pub fn strips(&self) -> impl Iterator<Item = (&Strip, bool)> {
        self.rows.iter().map(|row| (&row.strip, row.current))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    fn space() -> LatentSpace {
        let dial = |max| Dimension::continuous(0.0, max, 0.01);
        LatentSpace::new(vec![
            Dimension::Discrete { values: 3 },
            dial(6.0),
            dial(1.0),
        ])
        .unwrap()
    }

    /// A decoder that writes down what it is asked.
    #[allow(clippy::type_complexity)]
    fn decoder() -> (Decode, Rc<RefCell<Vec<Vec<f64>>>>) {
        let asked: Rc<RefCell<Vec<Vec<f64>>>> = Rc::default();
        let asks = Rc::clone(&asked);
        let decode = Decode::new(move |z: &[f64], x: &mut Vec<f32>| {
            asks.borrow_mut().push(z.to_vec());
            *x = z.iter().map(|v| *v as f32).collect();
            true
        });
        (decode, asked)
    }

    #[test]
    fn previews_go_from_end_to_end_and_over_every_choice() {
        let space = space();
        assert_eq!(positions(&space.dimensions()[0]), [0.0, 1.0, 2.0]);
        assert_eq!(
            positions(&space.dimensions()[1]),
            [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        );
    }

    #[test]
    fn the_newest_input_wins_and_the_moved_dials_own_strip_stays() {
        let (decode, asked) = decoder();
        let mut strips = Filmstrips::new(&space(), &[1, 0], &[2.0, 3.0, 0.5]);
        assert!(strips.is_due(0), "at once at the start");
        for _ in 0..PREVIEWS {
            strips.step(&decode).unwrap();
        }
        assert_eq!(
            asked.borrow()[2],
            [2.0, 2.0, 0.5],
            "the others stay where they are"
        );
        let current = |strips: &Filmstrips| strips.strips().map(|(_, is)| is).collect::<Vec<_>>();
        assert_eq!(current(&strips), [true, false]);
        strips.step(&decode).unwrap();
        // Dial 1 is moved in the middle of the work on the radio buttons.
        strips.stand_at(&[2.0, 4.0, 0.5], 1_000);
        assert!(!strips.is_due(1_000 + REST_MS - 1));
        assert!(strips.is_due(1_000 + REST_MS));
        asked.borrow_mut().clear();
        while strips.is_due(2_000) {
            strips.step(&decode).unwrap();
        }
        let expected = [[0.0, 4.0, 0.5], [1.0, 4.0, 0.5], [2.0, 4.0, 0.5]];
        assert_eq!(*asked.borrow(), expected, "its own strip is still right");
        assert_eq!(current(&strips), [true, true]);
        assert_eq!(strips.wanted(), None);
        // One that was decoded elsewhere, for where the dials stood before.
        strips.stand_at(&[1.0, 4.0, 0.5], 2_500);
        let late = strips.wanted().unwrap();
        strips.stand_at(&[0.0, 4.0, 0.5], 2_600);
        strips.arrived(&late, vec![9.0]);
        let wanted = strips.wanted().unwrap();
        assert_ne!(wanted, late);
        while let Some(z) = strips.wanted() {
            strips.arrived(&z, vec![1.0]);
        }
        let (strip, _) = strips.strips().next().unwrap();
        assert!(strip.iter().all(|picture| **picture == [1.0]));
        strips.stand_at(&[1.0, 4.0, 0.5], 3_000);
        assert_eq!(current(&strips), [false, true]);
    }
}
