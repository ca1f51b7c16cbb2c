//! Filling in the levels of factors: groups that go through them, and `{NAME}` in texts.
//!
//! `{NAME:number}` in the place of a number is the level as one.
//!
//! A group with `for_each` becomes a group of groups, one for each combination of levels, with
//! the texts of its parts filled in. A part whose texts name a factor between people (or the
//! link's) becomes a group that holds it once for each level, for the people with that level.
//! Everything after this knows neither `for_each` nor `{NAME}`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{MOST_NAME, StudyProblem, joined, suggest};
use crate::design::{Design, Varies};
use crate::study::Levels;

/// Where something in the filled-in study comes from: its place there, and in the author's file.
pub(super) type Origins = Vec<(String, String)>;

/// Most groups that a study can have once levels are filled in: a few lines could else make any
/// number of them.
const MOST_GROUPS: usize = 1_000;

/// Most bytes of all texts in those groups, for the same reason.
const MOST_BYTES: usize = 64 << 20;

/// Fills in all levels.
///
/// # Errors
/// When that would make more than anybody can use. The study is then half filled in.
pub(super) fn fill_in(study: &mut Value) -> Result<(Vec<StudyProblem>, Origins), StudyProblem> {
    // A design that cannot be read is told with the study's other mistakes of form.
    let design = study.get("design").cloned().unwrap_or_default();
    let mut design: Design = serde_json::from_value(design).unwrap_or_default();
    // So is what is too long for a name: it would be filled in over and over.
    design.factors.retain(|factor| {
        let mut names = factor.levels.iter().chain([&factor.name]);
        names.all(|name| name.len() <= MOST_NAME)
    });
    let mut filling = Filling {
        design: &design,
        problems: Vec::new(),
        origins: Vec::new(),
        groups: 0,
        bytes: 0,
        too_much: None,
    };
    let mut scope = Scope::default();
    for factor in &design.factors {
        if factor.varies != Varies::Within {
            scope
                .open
                .insert(factor.name.clone(), factor.levels.clone());
        }
    }
    filling.lists(study, "", "", &scope);
    match filling.too_much {
        Some(problem) => Err(problem),
        None => Ok((filling.problems, filling.origins)),
    }
}

/// The place in the author's file of a place in the filled-in study.
pub(super) fn origin_of(place: &str, origins: &Origins) -> String {
    let origin = origins
        .iter()
        .filter(|(filled_in, _)| place.starts_with(filled_in.as_str()))
        .max_by_key(|(filled_in, _)| filled_in.len());
    match origin {
        Some((filled_in, written)) => format!("{written}{}", &place[filled_in.len()..]),
        None => place.to_owned(),
    }
}

/// The levels of factors that are known at a place in the study.
#[derive(Debug, Clone, Default)]
struct Scope {
    /// The levels that hold there: of factors within people.
    held: Levels,
    /// The levels that people there can have: of all other factors.
    open: BTreeMap<String, Vec<String>>,
}

struct Filling<'a> {
    design: &'a Design,
    problems: Vec<StudyProblem>,
    origins: Origins,
    /// Groups made so far, and the bytes in them.
    groups: usize,
    bytes: usize,
    /// The mistake that would have made too many. Nothing is made from then on.
    too_much: Option<StudyProblem>,
}

impl Filling<'_> {
    /// Whether so many groups can be made of a template; if not, that is noted.
    fn can_make(&mut self, groups: usize, template: &Value, written: &str) -> bool {
        self.groups = self.groups.saturating_add(groups);
        let bytes = groups.saturating_mul(size(template));
        self.bytes = self.bytes.saturating_add(bytes);
        let (found, expected) = if self.groups > MOST_GROUPS {
            let expected = format!("at most {MOST_GROUPS} in the whole study");
            (
                format!("{} groups, one for each combination of levels", self.groups),
                expected,
            )
        } else if self.bytes > MOST_BYTES {
            let expected = format!("at most {} MiB in the whole study", MOST_BYTES >> 20);
            (
                format!("{} MiB, once levels are filled in", self.bytes >> 20),
                expected,
            )
        } else {
            return self.too_much.is_none();
        };
        self.too_much.get_or_insert(StudyProblem {
            path: written.to_owned(),
            found,
            expected,
        });
        false
    }

    /// The parts of the study, of a group or of interruptions, and those of its interruptions.
    fn lists(&mut self, holder: &mut Value, place: &str, written: &str, scope: &Scope) {
        if let Some(parts) = holder.get_mut("parts").and_then(Value::as_array_mut) {
            let all = std::mem::take(parts);
            for (index, part) in all.into_iter().enumerate() {
                let place = joined(place, &format!("parts[{}]", parts.len()));
                let written = joined(written, &format!("parts[{index}]"));
                parts.extend(self.part(part, &place, &written, scope));
            }
        }
        let between = holder
            .get_mut("interruptions")
            .and_then(Value::as_array_mut);
        for (index, interruptions) in between.into_iter().flatten().enumerate() {
            let field = format!("interruptions[{index}]");
            let (place, written) = (joined(place, &field), joined(written, &field));
            self.lists(interruptions, &place, &written, scope);
        }
    }

    /// A part, filled in; nothing if nobody can get it.
    fn part(
        &mut self,
        mut part: Value,
        place: &str,
        written: &str,
        scope: &Scope,
    ) -> Option<Value> {
        self.origins.push((place.to_owned(), written.to_owned()));
        if part.get("kind").and_then(Value::as_str) != Some("group") {
            return Some(self.for_each_open_level(part, place, written, scope));
        }
        let mut scope = scope.clone();
        for (factor, wanted) in string_lists(part.get("only_if")) {
            if let Some(level) = scope.held.get(&factor) {
                if !wanted.contains(level) {
                    return None;
                }
            } else if let Some(levels) = scope.open.get_mut(&factor) {
                levels.retain(|level| wanted.contains(level));
            }
        }
        let by_hand: Option<Levels> = part
            .get("levels")
            .and_then(|levels| serde_json::from_value(levels.clone()).ok());
        scope.held.extend(by_hand.unwrap_or_default());
        let whole = part.get("next").is_some() || names_factor(&without_parts(&part), &scope);
        if whole && names_factor(&part, &scope) {
            return Some(self.for_each_open_level(part, place, written, &scope));
        }
        let for_each = part.as_object_mut().and_then(|map| map.remove("for_each"));
        match for_each {
            Some(Value::Array(factors)) if !factors.is_empty() => {
                self.go_through(&mut part, &factors, place, written, &scope);
            }
            // Nothing to go through; what is not a list is told as a mistake of form.
            Some(other) if !other.is_array() => part["for_each"] = other,
            _ => self.lists(&mut part, place, written, &scope),
        }
        Some(part)
    }

    /// The parts of a group with `for_each`: a group for each combination of levels.
    fn go_through(
        &mut self,
        group: &mut Value,
        factors: &[Value],
        place: &str,
        written: &str,
        scope: &Scope,
    ) {
        let mut crossed = Vec::new();
        for (index, name) in factors.iter().enumerate() {
            let name = name.as_str().unwrap_or_default();
            let factor = self.design.factor(name);
            let Some(factor) = factor.filter(|factor| factor.varies == Varies::Within) else {
                let known = self.design.factors_that(Varies::Within);
                let known: Vec<String> = known.map(|factor| factor.name.clone()).collect();
                self.problems.push(StudyProblem {
                    path: format!("{written}.for_each[{index}]"),
                    found: format!("'{name}'"),
                    expected: format!(
                        "the name of a factor that varies within people; {}",
                        suggest(name, &known)
                    ),
                });
                continue;
            };
            crossed.push((&factor.name, &factor.levels));
        }
        let template = group.get("parts").cloned().unwrap_or_default();
        if template.as_array().is_none_or(Vec::is_empty) {
            return; // told as an empty list of parts
        }
        group["parts"] = json!([]);
        self.lists(group, place, written, scope);
        if !self.can_make(product(&crossed), &template, written) {
            return;
        }
        let mut parts = Vec::new();
        for levels in combinations(&crossed) {
            let place = format!("{place}.parts[{}]", parts.len());
            self.origins.push((place.clone(), written.to_owned()));
            let mut inner = json!({ "kind": "group", "levels": levels, "parts": template.clone() });
            put_in(&mut inner["parts"], &levels);
            let mut scope = scope.clone();
            scope.held.extend(levels);
            self.lists(&mut inner, &place, written, &scope);
            parts.push(inner);
        }
        group["parts"] = Value::Array(parts);
    }

    /// A part whose texts name factors that vary over people: once for each of their levels.
    fn for_each_open_level(
        &mut self,
        part: Value,
        place: &str,
        written: &str,
        scope: &Scope,
    ) -> Value {
        let named = scope.open.iter().filter(|(name, _)| names(&part, name));
        let crossed: Vec<(&String, &Vec<String>)> = named.collect();
        let groups = product(&crossed);
        if groups != 1 {
            let mut parts = Vec::new();
            if !self.can_make(groups, &part, written) {
                return part;
            }
            for levels in combinations(&crossed) {
                let at = format!("{place}.parts[{}]", parts.len());
                let mut scope = scope.clone();
                let only_if: BTreeMap<&String, [&String; 1]> =
                    levels.iter().map(|(name, level)| (name, [level])).collect();
                for (name, level) in &levels {
                    scope.open.insert(name.clone(), vec![level.clone()]);
                }
                let mut inner = part.clone();
                put_in(&mut inner, &levels);
                let inner = self.part(inner, &format!("{at}.parts[0]"), written, &scope);
                self.origins.push((at, written.to_owned()));
                let inner: Vec<Value> = inner.into_iter().collect();
                parts.push(json!({ "kind": "group", "only_if": only_if, "parts": inner }));
            }
            return json!({ "kind": "group", "parts": parts });
        }
        let mut part = part;
        for only in combinations(&crossed) {
            put_in(&mut part, &only);
        }
        if part.get("kind").and_then(Value::as_str) == Some("group") {
            self.lists(&mut part, place, written, scope);
        }
        part
    }
}

/// How many combinations of levels there are.
fn product(crossed: &[(&String, &Vec<String>)]) -> usize {
    let sizes = crossed.iter().map(|(_, levels)| levels.len());
    sizes.fold(1, usize::saturating_mul)
}

/// All combinations of levels, the first factor's changing slowest.
fn combinations(crossed: &[(&String, &Vec<String>)]) -> Vec<Levels> {
    let mut combinations = vec![Levels::new()];
    for (name, levels) in crossed {
        let with = |combination: &Levels| {
            let each = levels.iter().map(|level| {
                let mut combination = combination.clone();
                combination.insert((*name).clone(), level.clone());
                combination
            });
            each.collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(with).collect();
    }
    combinations
}

/// Bytes that a value takes, about.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 8,
        Value::Object(fields) => {
            let each = fields.iter().map(|(name, field)| name.len() + size(field));
            each.sum::<usize>() + 8
        }
        _ => 8,
    }
}

fn string_lists(value: Option<&Value>) -> BTreeMap<String, Vec<String>> {
    let lists = value.and_then(|value| serde_json::from_value(value.clone()).ok());
    lists.unwrap_or_default()
}

/// A group's own fields.
fn without_parts(group: &Value) -> Value {
    let mut own = group.clone();
    if let Some(own) = own.as_object_mut() {
        own.remove("parts");
        own.remove("interruptions");
    }
    own
}

fn names_factor(value: &Value, scope: &Scope) -> bool {
    scope.open.keys().any(|name| names(value, name))
}

/// Whether `{name}` is in some text.
fn names(value: &Value, name: &str) -> bool {
    match value {
        Value::String(text) => {
            text.contains(&placeholder(name)) || *text == number_placeholder(name)
        }
        Value::Array(items) => items.iter().any(|item| names(item, name)),
        Value::Object(fields) => fields.values().any(|field| names(field, name)),
        _ => false,
    }
}

/// Puts levels in the place of `{NAME}` in all texts, and as numbers in the place of texts that
/// are `{NAME:number}`.
fn put_in(value: &mut Value, levels: &Levels) {
    if let Value::String(text) = value {
        let named = |(name, _): &(&String, &String)| *text == number_placeholder(name);
        let number = levels.iter().find(named);
        // A level that is no number stays a text, which the schema then refuses by its place.
        if let Some((_, level)) = number {
            *value = level
                .parse()
                .map_or_else(|_| level.clone().into(), Value::Number);
            return;
        }
    }
    match value {
        Value::String(text) => {
            for (name, level) in levels {
                *text = text.replace(&placeholder(name), level);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| put_in(item, levels)),
        Value::Object(fields) => fields.values_mut().for_each(|field| put_in(field, levels)),
        _ => {}
    }
}

fn number_placeholder(name: &str) -> String {
    format!("{{{name}:number}}")
}

fn placeholder(name: &str) -> String {
    format!("{{{name}}}")
}
