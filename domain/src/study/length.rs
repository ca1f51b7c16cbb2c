//! How long a study is: how many stages and questions a person of a cell gets, at least and at most.
//!
//! Worked out from the study and not from a session drawn as an example: groups that not everybody
//! gets, samples of parts, interruptions, ways forward, staircases and limits of time are looked at.
//! Practice is not counted. Somebody who is screened out gets fewer, which [`Length::screens_out`] says.

mod part_sequence;

use crate::design::{Cell, Levels};
use crate::model::ModelSource;
use crate::session::flow::Span;
use crate::session::plan::WrongAnswer;
use crate::study::{Group, JumpTarget, NextRule, Order, Part, Stage, Study};
use part_sequence::{PartSequence, Step};

/// How long a study is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// Stages. The stages of a staircase are one.
    pub stages: Span,
    /// Questions of tasks: items of questionnaires are none.
    pub questions: Span,
    /// Minutes that the consent form says.
    pub minutes: Option<u32>,
    /// Whether answers can end the session before its end.
    pub screens_out: bool,
}

impl Length {
    /// Of everybody: what covers the lengths of all cells.
    #[must_use]
    pub fn of(study: &Study, models: &dyn ModelSource) -> Self {
        let cells = study.design.cells();
        let lengths = cells.iter().map(|cell| Self::of_cell(study, cell, models));
        let all = lengths.reduce(|all, one| Self {
            stages: all.stages.or(one.stages),
            questions: all.questions.or(one.questions),
            minutes: all.minutes,
            screens_out: all.screens_out || one.screens_out,
        });
        all.unwrap_or_else(|| Self::of_cell(study, &Cell::default(), models))
    }

    /// Of the people of one cell. A stage whose model is not known may count no question.
    #[must_use]
    pub fn of_cell(study: &Study, cell: &Cell, models: &dyn ModelSource) -> Self {
        let walking = Walking { cell, models };
        let mut way = PartSequence::default();
        walking.parts(&study.parts, &Levels::new(), &mut way);
        let Step {
            stages, questions, ..
        } = way.as_step();
        Self {
            stages,
            questions,
            minutes: study.consent().map(|consent| consent.duration_minutes),
            screens_out: way.screens_out,
        }
    }
}

/// `3 stages, 18 to 22 questions`.
impl std::fmt::Display for Length {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = |span: Span, one: &'static str, more: &'static str| {
            (span, if span == Span::of(1) { one } else { more })
        };
        let (stages, of_stages) = named(self.stages, "stage", "stages");
        let (questions, of_questions) = named(self.questions, "question", "questions");
        write!(f, "{stages} {of_stages}, {questions} {of_questions}")
    }
}

struct Walking<'a> {
    cell: &'a Cell,
    models: &'a dyn ModelSource,
}

impl Walking<'_> {
    fn parts<'a>(&self, parts: &'a [Part], levels: &Levels, way: &mut PartSequence<'a>) {
        for part in parts {
            self.part(part, levels, way);
        }
    }

    fn part<'a>(&self, part: &'a Part, levels: &Levels, way: &mut PartSequence<'a>) {
        let mut step = Step {
            names: part.id().into_iter().collect(),
            ..Step::default()
        };
        match part {
            Part::Group(group) => return self.group(group, levels, way),
            Part::Stage(stage) => {
                let questions = stage.task.questions_of(self.models);
                if stage.task.task().has_right_answers() {
                    step.judged = questions;
                }
                if !stage.practice {
                    step.stages = Span::of(questions.min(1));
                    step.questions = Span {
                        // The first one begins, however short the time is.
                        least: stage.limit.map_or(questions, |_| questions.min(1)),
                        most: questions,
                    };
                }
                way.screens_out |= stage.wrong_answer == WrongAnswer::ScreenOut;
            }
            Part::Questionnaire(part) => {
                step.pages.push(&part.questionnaire.id);
                way.screens_out |= part.questionnaire.wrong_answer == WrongAnswer::ScreenOut;
            }
            _ => {}
        }
        way.steps.push(step);
    }

    fn group<'a>(&self, group: &'a Group, levels: &Levels, way: &mut PartSequence<'a>) {
        if !group.is_for(levels, &self.cell.levels) {
            return;
        }
        let mut levels = levels.clone();
        levels.extend(group.levels.clone());
        let from = way.steps.len();
        way.steps.push(Step {
            names: group.id.as_deref().into_iter().collect(),
            ..Step::default()
        });
        if let Some(rule) = group.next {
            way.steps.push(self.staircase(group, rule));
        } else if group.order == Order::Fixed {
            for (place, part) in group.parts.iter().take(group.taken()).enumerate() {
                self.interruptions(group, Some(place), &levels, way);
                self.part(part, &levels, way);
            }
            self.interruptions(group, None, &levels, way);
        } else {
            self.some_of(group, &levels, way);
            for place in 1..group.taken() {
                self.interruptions(group, Some(place), &levels, way);
            }
            self.interruptions(group, None, &levels, way);
        }
        let to = way.steps.len();
        for skip in &group.skips {
            way.screens_out |= skip.to == JumpTarget::ScreenedOut;
            way.skips.push((from, to, skip));
        }
    }

    /// The interruptions before the part of a place; with `None`, those at random places.
    fn interruptions<'a>(
        &self,
        group: &'a Group,
        before: Option<usize>,
        levels: &Levels,
        way: &mut PartSequence<'a>,
    ) {
        let taken = group.taken();
        for interruptions in &group.interruptions {
            let times = match (interruptions.given_places(taken), before) {
                (Some(places), Some(place)) => usize::from(places.contains(&place)),
                (None, None) => interruptions.times(taken),
                _ => 0,
            };
            for _ in 0..times {
                self.parts(&interruptions.parts, levels, way);
            }
        }
    }

    /// The parts that a person gets of a group, in any order, as one step.
    fn some_of<'a>(&self, group: &'a Group, levels: &Levels, way: &mut PartSequence<'a>) {
        let mut all = Vec::new();
        for part in &group.parts {
            let mut own = PartSequence::default();
            self.part(part, levels, &mut own);
            way.screens_out |= own.screens_out;
            let at = way.steps.len();
            // A way out of the study leads out of the whole step; others are in the part's numbers.
            let out = own
                .skips
                .iter()
                .filter(|(.., skip)| skip.to == JumpTarget::EndOfStudy);
            way.skips.extend(out.map(|(.., skip)| (at, at + 1, *skip)));
            all.push(own.as_step());
        }
        let taken = group.taken();
        let spans = |of: fn(&Step<'_>) -> Span| {
            let mut least: Vec<usize> = all.iter().map(|step| of(step).least).collect();
            let mut most: Vec<usize> = all.iter().map(|step| of(step).most).collect();
            least.sort_unstable();
            most.sort_unstable_by(|a, b| b.cmp(a));
            Span {
                least: least.iter().take(taken).sum(),
                most: most.iter().take(taken).sum(),
            }
        };
        way.steps.push(Step {
            stages: spans(|step| step.stages),
            questions: spans(|step| step.questions),
            judged: spans(|step| Span::of(step.judged)).most,
            names: all.iter().flat_map(|step| step.names.clone()).collect(),
            pages: all.iter().flat_map(|step| step.pages.clone()).collect(),
        });
    }

    /// A staircase: its stages are one to those who climb it.
    fn staircase<'a>(&self, group: &'a Group, rule: NextRule) -> Step<'a> {
        let stage = |part: &'a Part| match part {
            Part::Stage(stage) => Some(stage),
            _ => None,
        };
        let stages: Vec<&Stage> = group.parts.iter().filter_map(stage).collect();
        let staircase = rule.over(0, stages.len(), (0..stages.len()).collect());
        let planned = |stage: usize| {
            stages
                .get(stage)
                .map_or(0, |s| s.task.questions_of(self.models))
        };
        let asked = staircase.asked(planned);
        let practice = stages.iter().all(|stage| stage.practice);
        Step {
            stages: Span::of(usize::from(!practice && asked.most > 0)),
            questions: if practice { Span::default() } else { asked },
            judged: asked.most,
            names: group.parts.iter().filter_map(Part::id).collect(),
            pages: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
