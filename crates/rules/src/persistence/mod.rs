//! What stays after the session: start-up files, jobs, rights, files that run by themselves.

mod access_grant;
mod auto_run_write;
mod dangerous_script;
mod hidden_text;
mod scheduled_job;
mod startup_file_write;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &access_grant::AccessGrant,
    &startup_file_write::StartupFileWrite,
    &scheduled_job::ScheduledJob,
    &auto_run_write::AutoRunWrite,
    &dangerous_script::DangerousScript,
    &hidden_text::HiddenText,
];
