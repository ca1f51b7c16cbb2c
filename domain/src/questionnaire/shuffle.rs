//! An order of items, options and rows for each person.

use rand::Rng;
use rand::seq::SliceRandom;

use super::item::{ChoiceOption, Item, ItemKind};
use super::{Answer, Film, Questionnaire};

impl Questionnaire {
    /// The page as one person gets it: what is to be in random order is shuffled, and moving
    /// letters are drawn, with their right answer. Nothing is drawn where there is nothing of
    /// either, so that plans of other studies stay as they are.
    #[must_use]
    pub fn drawn(&self, stages: usize, rng: &mut dyn Rng) -> Self {
        let mut page = self.clone();
        for item in &mut page.items {
            if let ItemKind::Matrix { rows, .. } = &mut item.answer {
                let asked = std::mem::take(rows).into_iter();
                *rows = asked.flat_map(|row| row.of_stages(stages)).collect();
            }
        }
        if page.random_order {
            page.items = shuffled_items(page.items, rng);
        }
        for item in &mut page.items {
            if let ItemKind::MotionLetters { film } = &mut item.answer {
                let (letters, drawn) = Film::drawn(rng);
                *film = Some(drawn);
                item.right = Some(Answer::Text(letters));
            }
            match &mut item.answer {
                ItemKind::Matrix {
                    rows,
                    random_order: true,
                    ..
                } => rows.shuffle(rng),
                ItemKind::Choice {
                    options,
                    random_order: true,
                    ..
                }
                | ItemKind::Ranking {
                    options,
                    random_order: true,
                    ..
                } => shuffle_options(options, rng),
                _ => {}
            }
        }
        page
    }
}

/// Items that depend on others follow these, in the order of the file.
fn shuffled_items(items: Vec<Item>, rng: &mut dyn Rng) -> Vec<Item> {
    let mut families: Vec<Vec<Item>> = Vec::new();
    for item in items {
        let family = item.show_if.as_ref().and_then(|rule| {
            let has_it = |family: &&mut Vec<Item>| family.iter().any(|of| of.id == rule.item);
            families.iter_mut().find(has_it)
        });
        match family {
            Some(family) => family.push(item),
            None => families.push(vec![item]),
        }
    }
    families.shuffle(rng);
    families.into_iter().flatten().collect()
}

/// Options that have a text field or stand alone keep their places.
fn shuffle_options(options: &mut [ChoiceOption], rng: &mut dyn Rng) {
    let mut moving: Vec<ChoiceOption> = options.iter().filter(|o| !o.stays()).cloned().collect();
    moving.shuffle(rng);
    let mut moving = moving.into_iter();
    for option in options.iter_mut().filter(|option| !option.stays()) {
        if let Some(next) = moving.next() {
            *option = next;
        }
    }
}
