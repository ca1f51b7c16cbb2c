//! Drawing a stage: which concepts, in which order.

use rand::Rng;
use rand::seq::SliceRandom;

use super::{ConceptOrder, ExamplePlan, Key, Plan, QuestionPlan, Settings};
use crate::model::instance::Instance;
use crate::task::draw::{DrawContext, DrawError};

pub(super) fn draw(
    settings: &Settings,
    context: &DrawContext<'_>,
    mut rng: &mut dyn Rng,
) -> Result<(Plan, Vec<Key>), DrawError> {
    let missing = |bundle: &String| DrawError::NoConcepts(bundle.clone());
    let first = settings.concepts.first();
    let first = first.ok_or_else(|| DrawError::NoConcepts(String::new()))?;
    let (shown, _) = context.concepts(first)?;
    let mut asked = Vec::new();
    for bundle in &settings.concepts {
        let (card, source) = context.concepts(bundle)?;
        let mut concepts: Vec<usize> = (0..card.concepts.len()).collect();
        if settings.questions_per_bundle.is_some() {
            concepts.shuffle(&mut rng);
            concepts.truncate(settings.taken(concepts.len()));
            concepts.sort_unstable();
        }
        for index in concepts {
            let sheet = source.sheet(bundle, index).ok_or_else(|| missing(bundle))?;
            let concept = &card.concepts[index];
            let expected = match concept.terms.is_empty() {
                true => Vec::new(),
                false => card.vocabulary.indices(&concept.terms),
            };
            let key = Key {
                bundle: bundle.clone(),
                bundle_sha256: source.sha256(bundle).unwrap_or_default().to_owned(),
                concept_kind: card.kind,
                concept: concept.id.clone(),
                expected,
            };
            let sheet = context.keep(Instance(sheet));
            asked.push((QuestionPlan { sheet }, key));
        }
    }
    if settings.question_order == ConceptOrder::Random {
        asked.shuffle(&mut rng);
    }
    let (questions, keys) = asked.into_iter().unzip();
    let plan = Plan {
        vocabulary: shown.vocabulary.spoken(context.spoken),
        display: shown.display,
        highlight_above: shown.highlight_above,
        shape: shown.shape,
        samples: shown.samples,
        example: example(settings, context)?,
        explanation: settings.explanation,
        questions,
    };
    Ok((plan, keys))
}

/// The example of the first bundle that has one: it is the same in each question, and so says nothing of
/// where a question's concept is from.
fn example(
    settings: &Settings,
    context: &DrawContext<'_>,
) -> Result<Option<ExamplePlan>, DrawError> {
    for bundle in &settings.concepts {
        let (card, source) = context.concepts(bundle)?;
        if let (Some(example), Some(sheet)) = (&card.example, source.example_sheet(bundle)) {
            return Ok(Some(ExamplePlan {
                sheet: context.keep(Instance(sheet)),
                terms: card.vocabulary.indices(&example.terms),
                explanation: example.explanation.spoken(context.spoken),
            }));
        }
    }
    Ok(None)
}
