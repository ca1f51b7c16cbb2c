//! The skeleton of a shape (Zhang and Suen 1984).

use crate::upsampling::Size;

/// Takes pixels away from the edges of ink until lines one pixel wide are left. Pixels beyond the border have no ink.
pub(super) fn thinned(ink: &[bool], size: Size) -> Vec<bool> {
    let mut ink = ink.to_vec();
    loop {
        let mut changed = false;
        for first in [true, false] {
            let away: Vec<usize> = (0..ink.len())
                .filter(|&place| ink[place] && goes(&neighbours(&ink, size, place), first))
                .collect();
            changed |= !away.is_empty();
            for place in away {
                ink[place] = false;
            }
        }
        if !changed {
            return ink;
        }
    }
}

/// The eight neighbours, from the upper one on and to the right.
fn neighbours(ink: &[bool], size: Size, place: usize) -> [bool; 8] {
    let (row, column) = (place / size.width, place % size.width);
    let at = |down: isize, right: isize| {
        let row = row.checked_add_signed(down).filter(|&r| r < size.height);
        let column = column.checked_add_signed(right).filter(|&c| c < size.width);
        row.zip(column)
            .is_some_and(|(r, c)| ink[r * size.width + c])
    };
    [
        at(-1, 0),
        at(-1, 1),
        at(0, 1),
        at(1, 1),
        at(1, 0),
        at(1, -1),
        at(0, -1),
        at(-1, -1),
    ]
}

/// Whether a pixel with these neighbours goes, in the first or the second half of a round.
fn goes(around: &[bool; 8], first: bool) -> bool {
    let count = around.iter().filter(|&&n| n).count();
    let begins = (0..8)
        .filter(|&i| !around[i] && around[(i + 1) % 8])
        .count();
    let [up, _, right, _, down, _, left, _] = *around;
    let edge = if first {
        !(right && down && (up || left))
    } else {
        !(up && left && (right || down))
    };
    (2..=6).contains(&count) && begins == 1 && edge
}
