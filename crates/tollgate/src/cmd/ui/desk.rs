//! What the server asks of the product, and where each answer comes from.

use std::path::Path;
use std::time::SystemTime;

use serde_json::{Value, json};
use tollgate_index::Index;
use tollgate_store::{GRANT_LIFE, is_code, is_digest};
use tollgate_ui::{Code, Desk, Refusal, session_id};

use super::{call, figures, policy, undo};
use crate::cmd::replay::Still;
use crate::dirs::{Dirs, repository};
use crate::pin::{self, Denied};
use crate::refused::{self, Refused, SHOWN_LENGTH, cut};
use crate::when;

/// How long a refused call is offered for approval, in microseconds.
const OFFERED: i64 = when::DAY / 24;
/// How many are.
const MOST_OFFERED: usize = 100;

/// This product, for one user.
pub struct Product {
    pub(super) dirs: Dirs,
    pub(super) still: Still,
}

impl Product {
    /// That of a user.
    pub fn new(dirs: Dirs) -> anyhow::Result<Self> {
        let still = Still::of(&dirs, &dirs.state);
        Ok(Self { dirs, still })
    }

    pub(super) fn state(&self) -> &Path {
        &self.dirs.state
    }

    pub(super) fn index(&self) -> Result<Index, Refusal> {
        Index::open(self.state()).map_err(Refusal::failed)
    }

    fn offered(&self) -> Vec<Refused> {
        let calls = refused::since(self.state(), when::now() - OFFERED, MOST_OFFERED);
        calls.into_iter().filter(|call| is_digest(&call.digest)).collect()
    }
}

/// Lets the owner pass, or says why not.
pub fn admit(given: &str, command: &str) -> Result<(), Refusal> {
    pin::check(given, command).map_err(|denied| match denied {
        Denied::NotSet => {
            Refusal::new(Code::NoPinSet, "no PIN is set, so that nobody can show to be the owner")
                .hint("Type in a terminal of your own: tollgate init --pin")
        }
        Denied::Wrong => Refusal::new(Code::WrongPin, "that was not the PIN; nothing was changed"),
        Denied::Wait(time) => Refusal {
            retry_after_s: Some(time.as_secs() + 1),
            ..Refusal::new(Code::Wait, "too many wrong PINs were given")
        },
        Denied::Fault(error) => Refusal::failed(error),
    })
}

impl Desk for Product {
    fn about(&self) -> Value {
        let pin_set = pin::is_set().unwrap_or(false);
        let mut about = json!({
            "version": env!("CARGO_PKG_VERSION"), "pin_set": pin_set,
            "notes": pin::wrong_tries(self.state()).into_iter().collect::<Vec<_>>(),
        });
        if let (false, Some(members)) = (pin_set, about.as_object_mut()) {
            members.insert("pin_hint".into(), "Type in a terminal of your own: tollgate init --pin".into());
        }
        about
    }

    fn time(&self, text: &str) -> Result<i64, String> {
        when::parse(text).map_err(|error| error.to_string())
    }

    fn project(&self, folder: &str) -> String {
        repository(Path::new(folder)).to_string_lossy().into_owned()
    }

    fn explain(&self, line: &str) -> Value {
        call::explain(&self.still, line)
    }

    fn rules(&self) -> Result<Value, Refusal> {
        figures::rules(self)
    }

    fn rule(&self, id: &str) -> Result<Value, Refusal> {
        figures::rule(self, id)
    }

    fn replay(&self, id: &str, level: &str) -> Result<Value, Refusal> {
        figures::replay(self, id, level)
    }

    fn policy(&self, project: Option<&str>) -> Result<Value, Refusal> {
        policy::policy(self, project)
    }

    fn undo_list(&self) -> Result<Value, Refusal> {
        undo::list(self.state())
    }

    fn undo_show(&self, id: &str) -> Result<Value, Refusal> {
        undo::show(self.state(), id)
    }

    fn restore(&self, id: &str, pin: &str, force: bool) -> Result<Value, Refusal> {
        undo::restore(self.state(), id, force, || admit(pin, "undo"))
    }

    fn spent(&self, since: Option<i64>, session: Option<(&str, &str)>) -> Vec<Value> {
        figures::spent(self, since, session).unwrap_or_default()
    }

    fn cost(&self, since: i64) -> Result<Value, Refusal> {
        figures::cost(self, since)
    }

    fn waiting(&self) -> Result<Value, Refusal> {
        let calls = self.offered();
        let grants = tollgate_store::list_grants(self.state()).map_err(Refusal::failed)?;
        let now = SystemTime::now();
        let is_approved =
            |call: &Refused| grants.iter().any(|grant| grant.digest == call.digest && grant.is_alive(now));
        let value = |call: &Refused| {
            let text = cut(&call.text, SHOWN_LENGTH);
            json!({
                "code": call.distinct_code(&calls), "digest": call.digest, "seq": call.seq, "at": call.time,
                "agent": call.who, "session": call.session, "session_id": session_id(&call.who, &call.session),
                "cwd": call.folder, "cut": text.len() < call.text.len() || text != call.text, "text": text,
                "findings": call.findings, "approved": is_approved(call),
            })
        };
        let calls: Vec<Value> = calls.iter().map(value).collect();
        Ok(json!({ "calls": calls, "pin_set": pin::is_set().map_err(Refusal::failed)? }))
    }

    /// The call is looked for first: a PIN is not tried for nothing. Which calls wait is no secret.
    fn approve(&self, digest: &str, pin: &str) -> Result<Value, Refusal> {
        let none = || {
            Refusal::new(Code::NotFound, "no call that was refused in the last hour has this digest")
                .hint("Let the agent try it again")
        };
        if !is_code(digest) {
            return Err(none());
        }
        let calls = self.offered();
        let mut named = calls.iter().filter(|call| call.digest.starts_with(digest));
        let call = named.next().ok_or_else(none)?;
        if named.next().is_some() {
            return Err(Refusal::new(
                Code::Conflict,
                "several refused calls begin so; send the whole digest",
            ));
        }
        admit(pin, "approve")?;
        tollgate_store::grant(self.state(), &call.digest, SystemTime::now()).map_err(Refusal::failed)?;
        Ok(json!({ "approved": true, "digest": call.digest, "minutes": GRANT_LIFE.as_secs() / 60 }))
    }

    fn doctor(&self) -> Result<Value, Refusal> {
        let found = crate::cmd::doctor::found().map_err(Refusal::failed)?;
        let totals =
            self.index()?.figures(tollgate_index::Scope::default()).totals().map_err(Refusal::failed)?;
        Ok(json!({
            "light": found.get("light"), "in_force": found.get("active"), "lines": found.get("lines"), "faults": totals.faults,
        }))
    }
}
