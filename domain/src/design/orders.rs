//! Orders that are balanced over people: each is a function of the row that a person gets.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha20Rng;

/// Row `row` of the cyclic Latin square of `count` parts.
#[must_use]
pub fn latin_square(count: usize, row: u64) -> Vec<usize> {
    let shift = remainder(row, count);
    (0..count).map(|place| (place + shift) % count).collect()
}

/// Row `row` of a Williams square (Williams 1949): 0, 1, n − 1, 2, n − 2 …, shifted by
/// the row. For an odd number of parts every other pass is reversed, so that 2n rows
/// balance what follows what.
#[must_use]
pub fn williams(count: usize, row: u64) -> Vec<usize> {
    let place = |place: usize| {
        let step = place.div_ceil(2);
        if place % 2 == 1 {
            step
        } else {
            (count - step) % count
        }
    };
    let shift = remainder(row, count);
    let mut order: Vec<usize> = (0..count).map(|p| (place(p) + shift) % count).collect();
    if count % 2 == 1 && (row / count as u64) % 2 == 1 {
        order.reverse();
    }
    order
}

/// Hand `row` of a deck of `count` parts from which each person gets `take` without
/// replacement. The deck is shuffled anew when it is used up. A part that a hand holds
/// already waits for the next one. After every [`hands`] rows each part was dealt equally
/// often.
#[must_use]
pub fn dealt(count: usize, take: usize, row: u64, seed: u64) -> Vec<usize> {
    let take = take.min(count);
    if take == 0 {
        return Vec::new();
    }
    // After so many hands the deck is empty, so a deal can begin at the last such place.
    let hands = hands(count, take);
    let first = row / hands * hands;
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    rng.set_stream(first);
    let mut deck: Vec<usize> = Vec::new();
    let mut hand = Vec::new();
    for _ in first..=row {
        hand.clear();
        while hand.len() < take {
            let next = deck.iter().position(|part| !hand.contains(part));
            if let Some(at) = next {
                hand.push(deck.remove(at));
            } else {
                let mut fresh: Vec<usize> = (0..count).collect();
                fresh.shuffle(&mut rng);
                deck.extend(fresh);
            }
        }
    }
    hand
}

/// Number of hands after which a deck of `count` parts has just been used up.
#[must_use]
pub fn hands(count: usize, take: usize) -> u64 {
    (count / gcd(count, take.clamp(1, count.max(1)))).max(1) as u64
}

/// Number of rows of a Williams square that are balanced together.
#[must_use]
pub fn williams_rows(count: usize) -> u64 {
    (count.max(1) * (1 + count % 2)) as u64
}

/// The smallest number that both divide; `u64::MAX` at most.
#[must_use]
pub fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a.checked_div(x).map_or(0, |share| share.saturating_mul(b))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn remainder(row: u64, count: usize) -> usize {
    (row % count.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn both_squares_put_each_part_once_into_each_place() {
        for square in [latin_square, williams] {
            for count in 1..=7 {
                let rows: Vec<_> = (0..count as u64).map(|row| square(count, row)).collect();
                for place in 0..count {
                    let there: BTreeSet<usize> = rows.iter().map(|row| row[place]).collect();
                    assert_eq!(there.len(), count, "{rows:?}");
                }
            }
        }
    }

    #[test]
    fn a_williams_square_balances_what_follows_what() {
        for count in 2..=7_usize {
            let mut follows = vec![vec![0; count]; count];
            for row in 0..williams_rows(count) {
                for pair in williams(count, row).windows(2) {
                    follows[pair[0]][pair[1]] += 1;
                }
            }
            let each: BTreeSet<i32> = (0..count)
                .flat_map(|a| (0..count).filter(move |b| *b != a).map(move |b| (a, b)))
                .map(|(a, b)| follows[a][b])
                .collect();
            assert_eq!(each.len(), 1, "{count}: {follows:?}");
        }
    }

    /// The pilot's: three people, two of six conditions each.
    #[test]
    fn three_hands_of_two_cover_a_deck_of_six() {
        for seed in 0..50 {
            for pass in 0..3 {
                let rows = pass * 3..pass * 3 + 3;
                let all: BTreeSet<usize> = rows.flat_map(|row| dealt(6, 2, row, seed)).collect();
                assert_eq!(all.len(), 6);
            }
        }
        let decks: BTreeSet<Vec<usize>> = (0..50).map(|seed| dealt(6, 2, 0, seed)).collect();
        assert!(decks.len() > 10, "of 30 hands");
        let passes: BTreeSet<Vec<usize>> = (0..50).map(|pass| dealt(6, 2, 3 * pass, 1)).collect();
        assert!(passes.len() > 10, "of 30 hands");
    }

    #[test]
    fn a_hand_holds_no_part_twice_and_parts_stay_even() {
        for (count, take) in [(5, 2), (3, 2), (7, 4), (4, 4), (2, 5), (1, 1)] {
            let mut times = vec![0; count];
            for row in 0..40 {
                let hand = dealt(count, take, row, 9);
                assert_eq!(hand.len(), take.min(count));
                assert_eq!(hand.iter().collect::<BTreeSet<_>>().len(), hand.len());
                for part in hand {
                    times[part] += 1;
                }
                let spread = times.iter().max().unwrap() - times.iter().min().unwrap();
                assert!(spread <= 2, "{count} {take}: {times:?}");
                if (row + 1) % hands(count, take) == 0 {
                    let even = times.iter().all(|of| *of == times[0]);
                    assert!(even, "{count} {take} {row}: {times:?}");
                }
            }
        }
        assert!(dealt(0, 2, 3, 1).is_empty());
    }

    #[test]
    fn multiples() {
        assert_eq!(least_common_multiple(4, 6), 12);
        assert_eq!(least_common_multiple(u64::MAX, 2), u64::MAX);
        assert_eq!((hands(6, 2), hands(5, 2), hands(3, 9)), (3, 5, 1));
    }
}
