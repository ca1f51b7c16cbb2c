//! A tree of points in the plane (Bentley 1975), to find the nearest ones by the larger of two distances.

/// Points in a leaf, at most.
const LEAF: usize = 12;

/// A tree of points. Each node is a range of `order`: a point in its middle, before it those that are not above it
/// along the axis of the node's depth, after it those that are not below.
pub(super) struct Tree<'a> {
    points: [&'a [f64]; 2],
    order: Vec<u32>,
}

impl<'a> Tree<'a> {
    /// A tree of the points (a, b).
    pub fn new(a: &'a [f64], b: &'a [f64]) -> Self {
        let mut order: Vec<u32> = (0..a.len() as u32).collect();
        divide([a, b], &mut order, 0);
        Self {
            points: [a, b],
            order,
        }
    }

    /// The distance from a point to its k-th nearest other one.
    pub fn distance(&self, of: usize, k: usize) -> f64 {
        let mut nearest = Nearest {
            of,
            at: [self.points[0][of], self.points[1][of]],
            distances: Vec::with_capacity(k + 1),
            k,
        };
        self.search(0, self.order.len(), 0, &mut nearest);
        nearest.bound()
    }

    fn search(&self, start: usize, end: usize, axis: usize, nearest: &mut Nearest) {
        if end - start <= LEAF {
            for &point in &self.order[start..end] {
                self.look_at(point as usize, nearest);
            }
            return;
        }
        let middle = start + (end - start) / 2;
        let pivot = self.order[middle] as usize;
        self.look_at(pivot, nearest);
        let beyond = nearest.at[axis] - self.points[axis][pivot];
        let (low, high) = ((start, middle), (middle + 1, end));
        let (near, far) = if beyond < 0.0 {
            (low, high)
        } else {
            (high, low)
        };
        self.search(near.0, near.1, 1 - axis, nearest);
        // Points beyond the pivot are at least this far; at the bound itself they change nothing.
        if beyond.abs() < nearest.bound() {
            self.search(far.0, far.1, 1 - axis, nearest);
        }
    }

    fn look_at(&self, point: usize, nearest: &mut Nearest) {
        if point != nearest.of {
            let across = (self.points[0][point] - nearest.at[0]).abs();
            let along = (self.points[1][point] - nearest.at[1]).abs();
            nearest.take(across.max(along));
        }
    }
}

fn divide(points: [&[f64]; 2], order: &mut [u32], axis: usize) {
    if order.len() <= LEAF {
        return;
    }
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&a, &b| {
        let (a, b) = (a as usize, b as usize);
        points[axis][a].total_cmp(&points[axis][b])
    });
    let (low, rest) = order.split_at_mut(middle);
    divide(points, low, 1 - axis);
    // The point in the middle stays where it is.
    divide(points, &mut rest[1..], 1 - axis);
}

/// The distances found so far, ascending.
struct Nearest {
    of: usize,
    at: [f64; 2],
    distances: Vec<f64>,
    k: usize,
}

impl Nearest {
    /// The distance that a nearer point has to be below.
    fn bound(&self) -> f64 {
        match self.distances.get(self.k - 1) {
            Some(&distance) => distance,
            None => f64::INFINITY,
        }
    }

    fn take(&mut self, distance: f64) {
        if distance < self.bound() {
            let place = self.distances.partition_point(|&d| d <= distance);
            self.distances.insert(place, distance);
            self.distances.truncate(self.k);
        }
    }
}
