//! Which events a set of workflows listens to, in a few bytes that are compiled with the policy: all that an event costs
//! that nobody listens to.

use tollgate_model::{Effect, Event, Kind};

use crate::case::moments;
use crate::classes;
use crate::flow::On;
use crate::interest::{Watch, changes};
use crate::presets::FINGERPRINT;

/// Which events a set of workflows listens to. Layout: the program's fingerprint; then, if there are workflows, two
/// tables with a row of classes for each moment (whoever listens always, whoever listens while under way), what is
/// true of all, and the names with their own rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index(Vec<u8>);

const HEAD: usize = 8;
const ROW: usize = 2;
const TABLE: usize = ROW * On::ALL.len();
const FLAGS: usize = HEAD + 2 * TABLE;
const NAMES: usize = FLAGS + 1;

/// One keeps its state for all sessions of the project.
const SHARED: u8 = 1;
/// One binds where is written.
const BOUND: u8 = 2;

/// Who listens to a moment.
#[derive(Clone, Copy)]
enum Who {
    Always,
    UnderWay,
}

impl Index {
    /// What workflows that are asked this listen to.
    #[must_use]
    pub fn of(watch: &Watch) -> Self {
        let mut bytes = FINGERPRINT.to_le_bytes().to_vec();
        if watch.is_empty() {
            return Self(bytes);
        }
        let rows = watch.rows();
        for who in [Who::Always, Who::UnderWay] {
            for (_, on) in On::ALL {
                let own = rows.iter().filter(|row| row.on == on && row.idle == matches!(who, Who::Always));
                bytes.extend(own.fold(0, |all, row| all | row.classes).to_le_bytes());
            }
        }
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        bytes.push(flag(watch.is_shared(), SHARED) | flag(watch.is_bound(), BOUND));
        for row in rows.iter().filter(|row| !row.idle) {
            bytes.push(row.on as u8);
            bytes.extend(row.classes.to_le_bytes());
            bytes.extend(u16::try_from(row.flow.len()).unwrap_or(u16::MAX).to_le_bytes());
            bytes.extend(row.flow.bytes().take(usize::from(u16::MAX)));
        }
        Self(bytes)
    }

    /// As it was kept.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// To be kept.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Did this program make it?
    #[must_use]
    pub fn is_own(bytes: &[u8]) -> bool {
        bytes.starts_with(&FINGERPRINT.to_le_bytes())
    }

    /// Is there no workflow?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.len() <= HEAD
    }

    /// May somebody have a say in this event? `effects` are those of a call that waits; `under_way` says whether a
    /// workflow of the session may be.
    #[must_use]
    pub fn is_asked(&self, event: &Event, effects: &[Effect], under_way: impl Fn(&str) -> bool) -> bool {
        if self.is_empty() {
            return false;
        }
        let class = classes::of_event(event);
        let asked = self.possible(event, effects);
        let listens = |who: Who| asked.iter().any(|on| self.row(who, *on) & class != 0);
        listens(Who::Always)
            || listens(Who::UnderWay)
                && (self.flags() & SHARED != 0
                    || self.names().any(|(on, classes, name)| {
                        classes & class != 0 && asked.iter().any(|one| *one as u8 == on) && under_way(name)
                    }))
    }

    /// Is a refused call of interest?
    #[must_use]
    pub fn wants_refused(&self) -> bool {
        self.row(Who::Always, On::Refused) | self.row(Who::UnderWay, On::Refused) != 0
    }

    /// When gates may be asked about an event. What a call did that has run is not known yet, so it may be anything.
    fn possible(&self, event: &Event, effects: &[Effect]) -> Vec<On> {
        let mut possible = moments(event);
        match &event.kind {
            Kind::PreTool(_) if changes(effects, self.flags() & BOUND != 0) => possible.push(On::Write),
            Kind::PostTool { .. } => possible.extend([On::Wrote, On::TestRun]),
            Kind::PostToolFail { .. } => possible.push(On::TestRun),
            _ => {}
        }
        possible
    }

    fn row(&self, who: Who, on: On) -> u16 {
        let start = HEAD + TABLE * who as usize + ROW * on as usize;
        let bytes = self.0.get(start..).and_then(<[u8]>::first_chunk::<ROW>);
        bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes))
    }

    fn flags(&self) -> u8 {
        self.0.get(FLAGS).copied().unwrap_or_default()
    }

    /// Moment, classes and workflow of everybody who listens while under way.
    fn names(&self) -> impl Iterator<Item = (u8, u16, &str)> {
        let mut rest = self.0.get(NAMES..).unwrap_or_default();
        std::iter::from_fn(move || {
            let ([on, low, high, short, long], more) = rest.split_first_chunk::<5>()?;
            let (name, more) = more.split_at_checked(usize::from(u16::from_le_bytes([*short, *long])))?;
            rest = more;
            Some((*on, u16::from_le_bytes([*low, *high]), std::str::from_utf8(name).ok()?))
        })
    }
}
