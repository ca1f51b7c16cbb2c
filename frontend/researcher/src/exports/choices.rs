//! The choices that somebody made for an export, as the server is asked for it, and in words.

use api::research::{ExportOf, NewExport};

use super::day::{day, first_ms};

use crate::text::text;

/// Where sessions can stand, as the column `standing` has it, and in words.
pub fn standings() -> [(&'static str, &'static str); 6] {
    let words = &text().exports;
    [
        ("counted", words.counted()),
        ("excluded", words.excluded()),
        ("over_quota", words.over_quota()),
        ("ended", words.ended()),
        ("unfinished", words.unfinished()),
        ("no_data", words.no_data()),
    ]
}

/// The choices in the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// Whose sessions.
    pub of: ExportOf,
    /// With what is identifying.
    pub identifying: bool,
    /// With the study's audit log.
    pub audit: bool,
    /// For spreadsheets.
    pub spreadsheet_safe: bool,
    /// Standings; none: all.
    pub standings: Vec<&'static str>,
    /// The first day, as a field for dates has it; empty: any.
    pub since: String,
    /// The first day that is not wanted any more; empty: any.
    pub before: String,
    /// Beginnings of study files' SHA-256, with commas or spaces between them; empty: any.
    pub versions: String,
}

impl Choices {
    /// The request to the server.
    ///
    /// # Errors
    /// A sentence about the field that cannot be read.
    pub fn request(&self) -> Result<NewExport, String> {
        let versions = self.versions.split([',', ' ']).map(str::trim);
        Ok(NewExport {
            of: self.of,
            identifying: self.identifying,
            audit: self.audit,
            spreadsheet_safe: self.spreadsheet_safe,
            study_versions: versions
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
                .collect(),
            since_unix_ms: moment_of(&self.since)?,
            before_unix_ms: moment_of(&self.before)?,
            standings: self.standings.iter().map(|&it| it.to_owned()).collect(),
            address: None,
        })
    }
}

fn moment_of(typed: &str) -> Result<Option<u64>, String> {
    match typed.trim() {
        "" => Ok(None),
        day => first_ms(day)
            .map(Some)
            .ok_or_else(|| text().exports.no_day(day)),
    }
}

/// The request, in words.
pub fn in_words(request: &NewExport) -> String {
    let words = &text().exports;
    let of = match request.of {
        ExportOf::People => words.of_people(),
        ExportOf::Pilots => words.of_pilots(),
        ExportOf::Simulated => words.of_simulated(),
    };
    let known = standings();
    let standings = request.standings.iter().map(|name| {
        let known = known.iter().find(|(it, _)| it == name);
        known.map_or(name.as_str(), |(_, words)| words)
    });
    let standings: Vec<&str> = standings.collect();
    let standings = (!standings.is_empty()).then(|| words.only(standings.join(words.or())));
    let since = request.since_unix_ms.map(|ms| words.started_since(day(ms)));
    let before = request
        .before_unix_ms
        .map(|ms| words.started_before(day(ms)));
    let versions = &request.study_versions;
    let versions = (!versions.is_empty()).then(|| words.study_file(versions.join(words.or())));
    let safe = request
        .spreadsheet_safe
        .then(|| words.for_spreadsheets().to_owned());
    let identifying = request
        .identifying
        .then(|| words.with_identifying().to_owned());
    let audit = request.audit.then(|| words.with_audit().to_owned());
    let more = [standings, since, before, versions, safe, identifying, audit];
    let all = std::iter::once(of.to_owned()).chain(more.into_iter().flatten());
    all.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_is_asked_for() {
        assert_eq!(Choices::default().request(), Ok(NewExport::default()));
        let choices = Choices {
            of: ExportOf::Pilots,
            identifying: true,
            audit: true,
            spreadsheet_safe: true,
            standings: vec!["counted", "over_quota"],
            since: "2026-01-31".to_owned(),
            before: " 2026-03-01 ".to_owned(),
            versions: "abc123,  def456 ".to_owned(),
        };
        let request = choices.request().unwrap();
        assert_eq!(request.since_unix_ms, Some(1_769_817_600_000));
        assert_eq!(request.before_unix_ms, Some(1_772_323_200_000));
        assert_eq!(request.study_versions, ["abc123", "def456"]);
        assert_eq!(request.standings, ["counted", "over_quota"]);
        assert!(request.identifying && request.spreadsheet_safe && request.audit);
        assert_eq!(
            in_words(&request),
            "of pilots, only counted or over quota, started since 2026-01-31, \
             started before 2026-03-01, study file abc123 or def456, for spreadsheets, with what is identifying, with the audit log"
        );
        assert_eq!(in_words(&NewExport::default()), "of people");
    }

    #[test]
    fn a_day_that_is_none_is_named() {
        let choices = Choices {
            since: "31.1.2026".to_owned(),
            ..Choices::default()
        };
        assert!(choices.request().unwrap_err().contains("'31.1.2026'"));
    }
}
