//! Exceptions that a person makes for a while: where rules do not hold.

use serde::{Deserialize, Serialize};

use crate::json::{Value, object};

/// What a person allows although a rule is against it. Empty fields narrow nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Exemption {
    /// Names it, for listing and taking back; empty when it stands in a policy file.
    pub id: String,
    /// The rule; empty for every rule that can be excepted.
    pub rule: String,
    /// The shape of a command: its words, `*` for any part of one, `**` at the end for any more words.
    pub command: Vec<String>,
    /// A pattern of absolute paths.
    pub path: String,
    /// The project it is for; empty for all.
    pub project: String,
    /// The session it is for; empty for all.
    pub session: String,
    /// Seconds since 1970 when it was given; zero when it stands in a policy file.
    pub given: u64,
    /// Seconds since 1970 when it ends; zero for never.
    pub until: u64,
    /// Why, in the person's words.
    pub reason: String,
}

impl Exemption {
    /// Does it count now? A clock that was set back makes it void rather than longer.
    #[must_use]
    pub fn is_alive(&self, now: u64) -> bool {
        self.given <= now && (self.until == 0 || now < self.until)
    }

    /// Is it for this session of this project?
    #[must_use]
    pub fn is_for(&self, project: &str, session: &str) -> bool {
        let whole = |path: &str| path.trim_end_matches('/').to_owned();
        (self.project.is_empty() || whole(&self.project) == whole(project))
            && (self.session.is_empty() || self.session == session)
    }

    /// What it allows, in words.
    #[must_use]
    pub fn told(&self) -> String {
        let mut parts = vec![match self.rule.as_str() {
            "" => "every rule".to_owned(),
            rule => format!("rule `{rule}`"),
        }];
        let mut add = |lead: &str, text: &str| {
            if !text.is_empty() {
                parts.push(format!("{lead} `{text}`"));
            }
        };
        add("for the command", &self.command.join(" "));
        add("for the path", &self.path);
        add("in the project", &self.project);
        add("in the session", &self.session);
        parts.join(" ")
    }

    /// As JSON, for the store and for listings.
    #[must_use]
    pub fn value(&self) -> Value {
        let words = self.command.iter().map(|word| word.as_str().into()).collect();
        object([
            ("id", self.id.as_str().into()),
            ("rule", self.rule.as_str().into()),
            ("command", Value::List(words)),
            ("path", self.path.as_str().into()),
            ("project", self.project.as_str().into()),
            ("session", self.session.as_str().into()),
            ("given", self.given.into()),
            ("until", self.until.into()),
            ("reason", self.reason.as_str().into()),
        ])
    }

    /// From JSON. None when anything is not as it was written: exceptions are lost, never invented.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        let text = |key: &str| value.text(key).map(str::to_owned);
        let number = |key: &str| match value.get(key)? {
            Value::Number(number) => number.parse().ok(),
            _ => None,
        };
        let command = value.get("command")?.as_list()?;
        Some(Self {
            id: text("id")?,
            rule: text("rule")?,
            command: command.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<_>>()?,
            path: text("path")?,
            project: text("project")?,
            session: text("session")?,
            given: number("given")?,
            until: number("until")?,
            reason: text("reason")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Exemption;

    fn one() -> Exemption {
        Exemption {
            id: "0a1b2c3d".into(),
            rule: "git-force-push".into(),
            command: vec!["git".into(), "push".into(), "**".into()],
            project: "/w".into(),
            given: 100,
            until: 200,
            ..Exemption::default()
        }
    }

    #[test]
    fn it_counts_for_its_time_and_place() {
        for (now, alive) in [(99, false), (100, true), (199, true), (200, false)] {
            assert_eq!(one().is_alive(now), alive, "{now}");
        }
        assert!(Exemption { until: 0, ..one() }.is_alive(u64::MAX));
        for (project, session, fits) in
            [("/w", "a", true), ("/w/", "", true), ("/w/sub", "a", false), ("", "a", false)]
        {
            assert_eq!(one().is_for(project, session), fits, "{project} {session}");
        }
        let session = Exemption { session: "s".into(), project: String::new(), ..one() };
        assert!(session.is_for("/x", "s") && !session.is_for("/x", "t"));
    }

    #[test]
    fn what_is_kept_is_what_was_given() {
        assert_eq!(Exemption::of(&one().value()), Some(one()));
        let mut text = String::new();
        crate::json::write(&one().value(), &mut text);
        let damaged = text.replace("\"until\":200", "\"until\":\"\"");
        assert_ne!(damaged, text);
        assert_eq!(Exemption::of(&crate::json::parse(damaged.as_bytes()).unwrap()), None);
        assert_eq!(one().told(), "rule `git-force-push` for the command `git push **` in the project `/w`");
    }
}
