//! How much each person moves the curves of cumulative incidence: the derivatives by the person's
//! weight, whose squares add up to the squared standard errors.
//!
//! Let S be what is open, Fₖ curve k, hₖ = dₖ / n the hazards at a time, h = Σ hₖ. A person with r
//! questions at risk has the influences S g on S and eₖ on Fₖ. Where none of the person's
//! questions ends,
//!
//! - g grows by r h / (n (1 − h)),
//! - eₖ grows by S hₖ (g − r / n).
//!
//! So with B = Σ h / (n (1 − h)) and Cₖ = Σ S hₖ (B⁻ − 1 / n), which are the same for everybody,
//! g = c + r B and eₖ = base + c Fₖ + r Cₖ, where c and base change only when one of the person's
//! own questions ends or is last seen. Sums of squares over people follow from the sums of products
//! of (base, c, r). Thus the work grows with the number of questions, not with questions × people.

use super::super::real;
use super::RestrictedMeans;

/// One person's influence on one curve, in the terms above.
#[derive(Clone, Copy, Default)]
struct OnCurve {
    /// What does not follow from c and r.
    base: f64,
    /// The same of the area below the curve.
    area_base: f64,
}

/// One person.
#[derive(Clone)]
struct OfPerson {
    c: f64,
    at_risk: f64,
    open_area_base: f64,
    ends: Vec<OnCurve>,
}

/// Sums over people of products of base, c and r.
#[derive(Clone, Copy, Default)]
struct Products {
    base_base: f64,
    base_c: f64,
    base_r: f64,
    c_c: f64,
    c_r: f64,
    r_r: f64,
}

impl Products {
    /// Adds a person, `sign` times.
    fn add(&mut self, base: f64, c: f64, r: f64, sign: f64) {
        self.base_base += sign * base * base;
        self.base_c += sign * base * c;
        self.base_r += sign * base * r;
        self.c_c += sign * c * c;
        self.c_r += sign * c * r;
        self.r_r += sign * r * r;
    }

    /// Σ (base + c f + r q)².
    fn squares(&self, f: f64, q: f64) -> f64 {
        let mixed = self.base_c * f + self.base_r * q + self.c_r * f * q;
        (self.base_base + self.c_c * f * f + self.r_r * q * q + 2.0 * mixed).max(0.0)
    }
}

/// The curves so far, and all people's influences on them.
pub(super) struct Influences {
    /// S: the share that is open.
    pub open: f64,
    /// Fₖ: the share that came to each end.
    pub shares: Vec<f64>,
    /// B.
    b: f64,
    /// Cₖ.
    q: Vec<f64>,
    /// Integrals over time of 1, S, S B, Fₖ and Cₖ.
    passed: f64,
    open_area: f64,
    open_b_area: f64,
    areas: Vec<f64>,
    q_areas: Vec<f64>,
    people: Vec<OfPerson>,
    /// For each end.
    products: Vec<Products>,
}

impl Influences {
    /// At time 0, with nobody at risk yet.
    pub fn new(people: usize, ends: usize) -> Self {
        let person = OfPerson {
            c: 0.0,
            at_risk: 0.0,
            open_area_base: 0.0,
            ends: vec![OnCurve::default(); ends],
        };
        Self {
            open: 1.0,
            shares: vec![0.0; ends],
            b: 0.0,
            q: vec![0.0; ends],
            passed: 0.0,
            open_area: 0.0,
            open_b_area: 0.0,
            areas: vec![0.0; ends],
            q_areas: vec![0.0; ends],
            people: vec![person; people],
            products: vec![Products::default(); ends],
        }
    }

    /// A question of a person begins, at time 0.
    pub fn begins(&mut self, person: usize) {
        let r = self.people[person].at_risk;
        for products in &mut self.products {
            products.r_r += 2.0 * r + 1.0;
        }
        self.people[person].at_risk = r + 1.0;
    }

    /// Time passes.
    pub fn pass(&mut self, width: f64) {
        self.passed += width;
        self.open_area += self.open * width;
        self.open_b_area += self.open * self.b * width;
        for (area, share) in self.areas.iter_mut().zip(&self.shares) {
            *area += share * width;
        }
        for (area, q) in self.q_areas.iter_mut().zip(&self.q) {
            *area += q * width;
        }
    }

    /// Questions of these people come to these ends, or are last seen (no end), of `at_risk` that
    /// were open.
    pub fn fall(&mut self, now: &[(usize, Option<usize>)], at_risk: usize) {
        let n = real(at_risk);
        let before = self.open;
        let mut ended = 0;
        let mut hazards = vec![0.0; self.shares.len()];
        for end in now.iter().filter_map(|(_, end)| *end) {
            hazards[end] += 1.0 / n;
            ended += 1;
        }
        let total: f64 = hazards.iter().sum();
        for (end, hazard) in hazards.iter().enumerate() {
            self.shares[end] += before * hazard;
            self.q[end] += before * hazard * (self.b - 1.0 / n);
        }
        // All that were open ended: 1 − Σ would leave a rounding error, and g has no value.
        let own_c = if ended == at_risk {
            self.open = 0.0;
            0.0
        } else {
            self.open *= 1.0 - total;
            self.b += total / (n * (1.0 - total));
            1.0 / (n * (1.0 - total))
        };
        for (person, end) in now {
            let jump = end.map(|end| (end, before / n));
            let c = self.b - if end.is_some() { own_c } else { 0.0 };
            self.changes(*person, c, jump);
        }
    }

    /// One question less of a person is at risk, c grows by `c`, and a curve's influence by what
    /// `jump` says; the others go on from where they are.
    fn changes(&mut self, person: usize, c: f64, jump: Option<(usize, f64)>) {
        let person = &mut self.people[person];
        let (old_c, old_r) = (person.c, person.at_risk);
        person.c += c;
        person.at_risk -= 1.0;
        person.open_area_base -= c * self.open_area - self.open_b_area;
        for (end, on) in person.ends.iter_mut().enumerate() {
            let products = &mut self.products[end];
            products.add(on.base, old_c, old_r, -1.0);
            let mut base = self.q[end] - c * self.shares[end];
            if let Some((of, by)) = jump
                && of == end
            {
                base += by;
            }
            on.base += base;
            on.area_base -= base * self.passed + c * self.areas[end] - self.q_areas[end];
            products.add(on.base, person.c, person.at_risk, 1.0);
        }
    }

    /// The standard errors of the curves now. One person has no influence beside all people.
    pub fn errors(&self) -> Option<Vec<f64>> {
        let curves = self.products.iter().zip(self.shares.iter().zip(&self.q));
        let errors = curves.map(|(products, (share, q))| products.squares(*share, *q).sqrt());
        (self.people.len() > 1).then(|| errors.collect())
    }

    /// Mean times up to now, which is `until`.
    pub fn restricted(self, until: f64) -> RestrictedMeans {
        let open =
            |p: &OfPerson| p.open_area_base + p.c * self.open_area + p.at_risk * self.open_b_area;
        let since = |p: &OfPerson, end: usize| {
            let on = p.ends[end];
            on.area_base
                + on.base * self.passed
                + p.c * self.areas[end]
                + p.at_risk * self.q_areas[end]
        };
        let root = |of: &dyn Fn(&OfPerson) -> f64| {
            self.people
                .iter()
                .map(|p| of(p).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let several = self.people.len() > 1;
        RestrictedMeans {
            until,
            open: self.open_area,
            open_standard_error: several.then(|| root(&open)),
            since_end_standard_error: several.then(|| {
                let ends = 0..self.shares.len();
                ends.map(|end| root(&|p| since(p, end))).collect()
            }),
            since_end: self.areas.clone(),
        }
    }
}
