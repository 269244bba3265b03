//! What the server asks of the product: everything that needs the policy, the rules, the owner or other files than the log.

use serde_json::Value;

use crate::refusal::Refusal;

/// The product behind the server. Answers have the shapes of `openapi.yaml`.
pub trait Desk: Send + Sync + 'static {
    /// `pin_set`, `pin_hint`, `notes` and `version` of `About`.
    fn about(&self) -> Value;

    /// A point in time as people type it, in microseconds since 1970.
    ///
    /// # Errors
    /// When it is none; the text says why.
    fn time(&self, text: &str) -> Result<i64, String>;

    /// The project that a folder belongs to.
    fn project(&self, folder: &str) -> String;

    /// `source`, `language`, `effects` and `findings` of a call, computed from its record.
    fn explain(&self, line: &str) -> Value;

    /// `Rules`.
    ///
    /// # Errors
    /// When the index cannot be read.
    fn rules(&self) -> Result<Value, Refusal>;

    /// `RuleDetail` without `recent`.
    ///
    /// # Errors
    /// When there is no such rule.
    fn rule(&self, id: &str) -> Result<Value, Refusal>;

    /// `Replay`.
    ///
    /// # Errors
    /// When there is no such rule or level.
    fn replay(&self, id: &str, level: &str) -> Result<Value, Refusal>;

    /// `Policy`, of a project or of the user.
    ///
    /// # Errors
    /// When the project is none that the log knows.
    fn policy(&self, project: Option<&str>) -> Result<Value, Refusal>;

    /// `UndoList`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn undo_list(&self) -> Result<Value, Refusal>;

    /// `UndoPreview`.
    ///
    /// # Errors
    /// When there is no such snapshot.
    fn undo_show(&self, id: &str) -> Result<Value, Refusal>;

    /// `Restored`, if the PIN is right.
    ///
    /// # Errors
    /// When it is not, or nothing can be restored.
    fn restore(&self, id: &str, pin: &str, force: bool) -> Result<Value, Refusal>;

    /// `Spent` of everything since a point in time, or of one session of an agent.
    fn spent(&self, since: Option<i64>, session: Option<(&str, &str)>) -> Vec<Value>;

    /// `Cost`.
    ///
    /// # Errors
    /// When the prices cannot be read.
    fn cost(&self, since: i64) -> Result<Value, Refusal>;

    /// `Waiting`.
    ///
    /// # Errors
    /// When the approvals cannot be read.
    fn waiting(&self) -> Result<Value, Refusal>;

    /// `Approved`, if the PIN is right.
    ///
    /// # Errors
    /// When it is not, or no refused call has this digest.
    fn approve(&self, digest: &str, pin: &str) -> Result<Value, Refusal>;

    /// `Doctor`.
    ///
    /// # Errors
    /// When it cannot look.
    fn doctor(&self) -> Result<Value, Refusal>;
}
