//! The addresses of pages that show several sessions at once.

use api::research::ResultOf;
use form_urlencoded::Serializer;

use super::{parameter, whose};

/// Fewest and most sessions side by side.
pub const BESIDE: std::ops::RangeInclusive<usize> = 2..=4;

/// Everybody on one question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OnQuestion {
    /// Of whose sessions.
    pub of: ResultOf,
    /// The question; none: it is still to be chosen.
    pub question: Option<String>,
    /// Outcomes that are left out.
    pub without: Vec<String>,
}

impl OnQuestion {
    /// Reads a query. A question stays, also one that can be none: the page says so.
    pub fn parse(query: &str) -> Self {
        let names = parameter(query, "without").unwrap_or_default();
        let names = names.split(',').filter(|name| !name.is_empty());
        Self {
            of: whose(query),
            question: parameter(query, "question"),
            without: names.map(str::to_owned).collect(),
        }
    }

    /// The same as a query.
    pub fn query(&self) -> String {
        let mut written = Serializer::new(String::new());
        if self.of != ResultOf::default() {
            written.append_pair("of", self.of.name());
        }
        if let Some(question) = &self.question {
            written.append_pair("question", question);
        }
        if !self.without.is_empty() {
            written.append_pair("without", &self.without.join(","));
        }
        written.finish()
    }
}

/// A question or model that sessions side by side have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Common {
    /// A question, by its name.
    Question(String),
    /// A model, from its first question on.
    Model(String),
}

/// Sessions side by side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beside {
    /// The sessions, in their order on the page.
    pub sessions: Vec<String>,
    /// The question or model that is shown of them; none: one that the page finds them to have in common.
    pub common: Option<Common>,
    /// The moment that is shown, from the beginning of the question, as [`domain::common::moment::moment`] writes it.
    pub at: Option<String>,
}

impl Beside {
    /// Reads a query. Sessions that are there twice are shown once, and no more than fit.
    pub fn parse(query: &str) -> Self {
        let named = parameter(query, "sessions").unwrap_or_default();
        let mut sessions = Vec::<String>::new();
        for session in named.split(',').map(str::trim) {
            let is_new = !sessions.iter().any(|it| it == session);
            if !session.is_empty() && is_new && sessions.len() < *BESIDE.end() {
                sessions.push(session.to_owned());
            }
        }
        let question = parameter(query, "question");
        let model = || parameter(query, "model").map(Common::Model);
        Self {
            sessions,
            common: question.map(Common::Question).or_else(model),
            at: parameter(query, "t"),
        }
    }

    /// The same as a query.
    pub fn query(&self) -> String {
        let mut written = Serializer::new(String::new());
        match &self.common {
            Some(Common::Question(name)) => {
                written.append_pair("question", name);
            }
            Some(Common::Model(name)) => {
                written.append_pair("model", name);
            }
            None => {}
        }
        if !self.sessions.is_empty() {
            written.append_pair("sessions", &self.sessions.join(","));
        }
        if let Some(at) = &self.at {
            written.append_pair("t", at);
        }
        written.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_left_out_but_a_question_stays_to_be_told() {
        let asked = OnQuestion::parse("question=../etc&without=,solved,&of=nobody");
        let without = vec!["solved".to_owned()];
        let expected = OnQuestion {
            question: Some("../etc".to_owned()),
            without,
            ..OnQuestion::default()
        };
        assert_eq!(asked, expected);
        let beside = Beside::parse("sessions=a,,b,a,c,d,e&question=x&model=m");
        assert_eq!(beside.sessions, ["a", "b", "c", "d"]);
        assert_eq!(beside.common, Some(Common::Question("x".to_owned())));
        let beside = Beside::parse("model=m");
        assert_eq!(beside.common, Some(Common::Model("m".to_owned())));
        assert_eq!(Beside::parse(""), Beside::default());
    }
}
