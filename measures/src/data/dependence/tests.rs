use super::*;
use crate::data::hash::fnv;

/// The factors of 3dshapes, whose pictures are not drawn here: the rule must serve them as well.
const SHAPES3D: FactorTable = FactorTable {
    factors: &[
        of("floor hue", 10, 5),
        of("wall hue", 10, 5),
        of("object hue", 10, 5),
        of("scale", 8, 4),
        of("shape", 4, 2),
        of("orientation", 15, 7),
    ],
    class: |c| {
        let bit = |place: usize| usize::from(c[place]);
        if c[4] {
            4 * bit(0) + 2 * bit(1) + bit(2)
        } else {
            8 + 2 * bit(3) + bit(5)
        }
    },
    classes: 12,
    printed_decider: 4,
};

const fn of(name: &'static str, values: usize, below: usize) -> Factor {
    Factor {
        name,
        values,
        below,
    }
}

// for shape, scale, orientation, x, y in [(0,0,0,0,0), (2,5,39,31,31), (1,3,20,16,16), (2,2,19,15,15), (0,4,25,10,20)]:
//     c = [int(v) for v in (shape < 2, scale < 3, orientation < 20, x < 16, y < 16)]
//     print(c, 2*c[1] + c[3] if c[0] else 4 + 2*c[2] + c[4])
#[test]
fn concepts_and_classes_of_dsprites() {
    let cases: [([usize; 5], [u8; 5], usize); 5] = [
        ([0, 0, 0, 0, 0], [1, 1, 1, 1, 1], 3),
        ([2, 5, 39, 31, 31], [0, 0, 0, 0, 0], 4),
        ([1, 3, 20, 16, 16], [1, 0, 0, 0, 0], 0),
        ([2, 2, 19, 15, 15], [0, 1, 1, 1, 1], 7),
        ([0, 4, 25, 10, 20], [1, 0, 0, 1, 0], 1),
    ];
    let data = dependent_factors(DSPRITES, 0, Decider::OwnConcept, 1).unwrap();
    for (row, concepts, class) in cases {
        assert_eq!(data.concepts(&row), concepts.map(|c| c == 1));
        assert_eq!(data.class(&row), class);
    }
}

// The same with c = [floor < 5, wall < 5, object < 5, scale < 4, shape < 2, orientation < 7] and
// 4*c[0] + 2*c[1] + c[2] if c[4] else 8 + 2*c[3] + c[5]
#[test]
fn the_rule_serves_other_tables() {
    let cases: [([usize; 6], [u8; 6], usize); 5] = [
        ([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], 7),
        ([9, 9, 9, 7, 3, 14], [0, 0, 0, 0, 0, 0], 8),
        ([4, 5, 4, 4, 1, 7], [1, 0, 1, 0, 1, 0], 5),
        ([5, 4, 5, 3, 2, 6], [0, 1, 0, 1, 0, 1], 11),
        ([2, 7, 8, 1, 0, 12], [1, 0, 0, 1, 1, 0], 4),
    ];
    for (row, concepts, class) in cases {
        let found = SHAPES3D.concepts(&row);
        assert_eq!(found, concepts.map(|c| c == 1));
        assert_eq!((SHAPES3D.class)(&found), class);
    }
}

// import math
// for t in ([3, 6, 40, 32, 32], [10, 10, 10, 8, 4, 15]):
//     for steps in range(len(t)):
//         print(t[0]*math.prod(v//2 if i <= steps else -(-v//2) for i, v in enumerate(t) if i), end=' ')
#[test]
fn there_are_as_many_combinations_as_the_rule_says() {
    for steps in 0..5 {
        for decider in [Decider::OwnConcept, Decider::Printed] {
            let data = dependent_factors(DSPRITES, steps, decider, 3).unwrap();
            assert_eq!(data.rows.len(), 46_080, "λ = {steps}, {decider:?}");
        }
    }
    for (steps, expected) in [16_000, 16_000, 16_000, 16_000, 16_000, 14_000]
        .into_iter()
        .enumerate()
    {
        let data = dependent_factors(SHAPES3D, steps, Decider::OwnConcept, 3).unwrap();
        assert_eq!(data.rows.len(), expected, "λ = {steps}");
    }
}

// for t in (6, 40, 32, 10, 8, 4, 15): print(t, (0, 3*t//4), (t//4, t - 1), t//2)
#[test]
fn halves_are_drawn_from_three_quarters() {
    for (values, holds, otherwise) in [
        (6, (0, 4), (1, 5)),
        (40, (0, 30), (10, 39)),
        (32, (0, 24), (8, 31)),
        (10, (0, 7), (2, 9)),
        (8, (0, 6), (2, 7)),
        (4, (0, 3), (1, 3)),
        (15, (0, 11), (3, 14)),
    ] {
        assert_eq!(drawn_from(values, true), holds);
        assert_eq!(drawn_from(values, false), otherwise);
    }
    let data = dependent_factors(DSPRITES, 4, Decider::OwnConcept, 3).unwrap();
    for (step, admitted) in data.admitted.iter().enumerate() {
        let (own, next) = (DSPRITES.factors[step], DSPRITES.factors[step + 1].values);
        for (value, sets) in admitted.by_value.iter().enumerate() {
            let holds = value < own.below;
            let (first, last) = drawn_from(next, holds);
            let set = &sets[usize::from(!holds)];
            assert_eq!(set.len(), next / 2);
            assert!(set.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(set.iter().all(|v| (first..=last).contains(v)));
        }
    }
}

/// The values that a value admits are the same in every row; factors beyond are at every other value.
#[test]
fn rows_keep_the_rule() {
    let data = dependent_factors(DSPRITES, 2, Decider::OwnConcept, 5).unwrap();
    assert!(data.rows.windows(2).all(|pair| pair[0] < pair[1]));
    for scale in 0..6 {
        let orientations = |shape: usize| {
            let rows = data.rows.iter().filter(|r| r[0] == shape && r[1] == scale);
            let mut found: Vec<usize> = rows.map(|r| r[2]).collect();
            found.dedup();
            found.sort_unstable();
            found.dedup();
            found
        };
        let sets: Vec<_> = (0..3).map(orientations).filter(|o| !o.is_empty()).collect();
        assert!(sets.iter().all(|o| o.len() == 20 && *o == sets[0]));
    }
    assert!(data.rows.iter().all(|r| r[3] % 2 == 0 && r[4] % 2 == 0));
    // A square of the second scale, third orientation and so on: (((0·6 + 1)·40 + 2)·32 + 3)·32 + 4.
    assert_eq!(data.row_of_all(&[0, 1, 2, 3, 4]), 43_108);
}

#[test]
fn dependence_can_be_seen_and_the_printed_decider_is_another() {
    let share = |data: &DependentFactors, shape: usize| {
        let rows: Vec<_> = data.rows.iter().filter(|r| r[0] == shape).collect();
        let low = rows.iter().filter(|r| r[1] < 3).count();
        low as f64 / rows.len() as f64
    };
    // Where shapes restrict scales, a concept of one says something of the other: over many draws, small scales are
    // likelier where the shape's concept holds. Each draw takes 3 of {0…4} or of {1…5}.
    let (mut with, mut without) = (0.0, 0.0);
    for seed in 0..50 {
        let data = dependent_factors(DSPRITES, 1, Decider::OwnConcept, seed).unwrap();
        with += share(&data, 0) / 50.0;
        without += share(&data, 2) / 50.0;
    }
    // 3/5 and 2/5 of the draws; four standard errors of 50 draws of three are 0.12.
    assert!((with - 0.6).abs() < 0.12 && (without - 0.4).abs() < 0.12);
    let own = dependent_factors(DSPRITES, 2, Decider::OwnConcept, 3).unwrap();
    let printed = dependent_factors(DSPRITES, 2, Decider::Printed, 3).unwrap();
    assert_ne!(own.rows, printed.rows);
    // In print the shape decides which orientations a scale admits: a scale admits others for hearts.
    assert_eq!(printed.admitted[1].decider, 0);
    assert!(printed.admitted[1].by_value.iter().all(|s| s[0] != s[1]));
}

#[test]
fn too_many_steps_are_refused() {
    let problems = dependent_factors(DSPRITES, 5, Decider::OwnConcept, 1).unwrap_err();
    assert!(problems[0].to_string().contains("below 5"));
}

#[test]
fn the_data_are_those_that_they_were() {
    let found = [0, 1, 2, 3, 4].map(|steps| {
        let data = dependent_factors(DSPRITES, steps, Decider::OwnConcept, 7).unwrap();
        let values = data.rows.iter().flatten();
        fnv(values.map(|&v| u8::try_from(v).unwrap()))
    });
    assert_eq!(found, HASHES, "{found:#x?}");
}

const HASHES: [u64; 5] = [
    0xf291_0709_1636_7025,
    0x921c_0d00_142f_5ca5,
    0x40a5_6eda_8040_aaa5,
    0x3513_c7ce_379c_c205,
    0x5543_4ef5_6133_30da,
];
