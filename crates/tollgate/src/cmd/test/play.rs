//! Plays a test: its project is made in a place of its own, and each event goes through the hook as an agent's would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tollgate_model::Verdict;
use tollgate_model::json::{self, Value};
use tollgate_policy::{FILE_NAME, TrustPlan};
use tollgate_store::Log;

use super::Outcome;
use super::read::{Step, Test};
use crate::dirs::{self, Dirs};
use crate::program;

const LIMIT: Duration = Duration::from_secs(60);
/// What a project's policy consists of.
const HOOKS: &str = ".tollgate";

/// Where tests are played.
pub struct Stage {
    dirs: Dirs,
    /// The folder of the test file: its policy is what is tested.
    project: PathBuf,
    file: String,
    program: PathBuf,
    /// A person has trusted the project's programs, so they run here too.
    trusted: bool,
    /// The files that trust is about.
    plan: TrustPlan,
}

impl Stage {
    /// For the tests of a file. `trust_here`: the project's programs run in them, trusted or not.
    pub fn new(file: &Path, trust_here: bool) -> anyhow::Result<Self> {
        let whole = file.canonicalize().with_context(|| format!("cannot find `{}`", file.display()))?;
        let project = whole.parent().map(Path::to_owned).unwrap_or_default();
        let dirs = Dirs::find().context("no home directory")?;
        let loaded = dirs::applying_in(&dirs, &project);
        let is_kept = |folder: &str| Path::new(folder).starts_with(&dirs.state);
        let trusted = trust_here || loaded.policy.pipelines.iter().any(|pipeline| is_kept(&pipeline.folder));
        let plan = TrustPlan::of(&project).with_context(|| format!("cannot read `{}`", project.display()))?;
        let program = std::env::current_exe().context("cannot find my own program file")?;
        Ok(Self { dirs, project, file: file.display().to_string(), program, trusted, plan })
    }

    /// The programs of the project that do not run in its tests, because nobody has trusted them.
    pub fn untrusted(&self) -> Vec<String> {
        if self.trusted { Vec::new() } else { self.plan.programs.clone() }
    }

    /// Plays one test.
    pub fn play(&self, test: &Test) -> Outcome {
        let start = Instant::now();
        let mut seen = Vec::new();
        let failure = self.played(test, &mut seen).err().map(|error| format!("{error:#}"));
        let place = format!("{}:{}", self.file, test.line);
        Outcome { name: test.name.clone(), place, took: start.elapsed(), failure, seen }
    }

    fn played(&self, test: &Test, seen: &mut Vec<String>) -> anyhow::Result<()> {
        let scene = Scene::new(&self.dirs)?;
        scene.furnish(self, test)?;
        for (number, step) in test.steps.iter().enumerate() {
            let answer = scene.send(self, step, number)?;
            seen.extend(answer.rules.iter().cloned());
            answer
                .check(step)
                .with_context(|| format!("step {} ({}, line {})", number + 1, step.title(), step.line))?;
        }
        Ok(())
    }
}

/// A home with a project, which is gone when the test is over. Not in a temporary directory: what lies there is
/// judged otherwise.
struct Scene {
    folder: PathBuf,
}

impl Drop for Scene {
    fn drop(&mut self) {
        // What cannot be removed is only left behind.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Scene {
    fn new(dirs: &Dirs) -> anyhow::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = dirs.home.join(".cache/tollgate-tests").join(name);
        let scene = Self { folder };
        fs::create_dir_all(scene.project())
            .with_context(|| format!("cannot make `{}`", scene.folder.display()))?;
        Ok(scene)
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    fn furnish(&self, stage: &Stage, test: &Test) -> anyhow::Result<()> {
        for (name, text) in &test.files {
            self.write(name, text)?;
        }
        if test.git {
            self.commit()?;
        }
        for (name, text) in &test.changed {
            self.write(name, text)?;
        }
        let policy = stage.project.join(FILE_NAME);
        if policy.exists() {
            fs::copy(&policy, self.project().join(FILE_NAME)).context("cannot copy the project's policy")?;
        }
        copy(&stage.project.join(HOOKS), &self.project().join(HOOKS))
            .context("cannot copy the project's hooks")?;
        for (name, _) in &stage.plan.files {
            self.copy_file(&stage.project, name)?;
        }
        if stage.trusted {
            TrustPlan::of(&self.project())?.keep(&self.state())?;
        }
        Ok(())
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.project().join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write `{name}`"))
    }

    /// A program of the project wherever it stands. What the test itself puts there stays.
    fn copy_file(&self, project: &Path, name: &Path) -> anyhow::Result<()> {
        let (from, to) = (project.join(name), self.project().join(name));
        if to.exists() || !from.is_file() {
            return Ok(());
        }
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        fs::copy(&from, &to).map(drop).with_context(|| format!("cannot copy `{}`", from.display()))
    }

    fn commit(&self) -> anyhow::Result<()> {
        let who =
            ["-c", "user.name=test", "-c", "user.email=test@example.test", "-c", "core.hooksPath=/dev/null"];
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["add", "-A"],
            &["commit", "-q", "--allow-empty", "-m", "start"],
        ] {
            let mut git = self.command(Path::new("git"));
            let ran = program::run(git.args(who).args(args), b"", LIMIT).context("cannot run git")?;
            if ran.as_ref().is_none_or(|ran| ran.exit != Some(0)) {
                bail!("git {} failed: {}", args.join(" "), ran.map(|ran| ran.stderr).unwrap_or_default());
            }
        }
        Ok(())
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.project()).env("HOME", self.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("CLAUDE_PROJECT_DIR", self.project()).env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        command
    }

    fn send(&self, stage: &Stage, step: &Step, number: usize) -> anyhow::Result<Answer> {
        let mut hook = self.command(&stage.program);
        hook.args(["hook", "claude-code", &step.event]);
        hook.arg("--config").arg(&stage.dirs.config).arg("--state").arg(self.state());
        let payload = self.payload(step, number);
        let ran = program::run(&mut hook, payload.as_bytes(), LIMIT).context("cannot run the hook")?;
        let ran = ran.context("the hook did not answer")?;
        // Behind the answer to a stop the calls stand that it left without a result.
        let judged = |record: &Value| record.text("verdict").is_some();
        let records = Log::at(&self.state()).records().filter_map(|entry| entry.value());
        let record = records.filter(judged).last();
        let record = record.with_context(|| format!("the hook recorded nothing: {}", ran.stderr))?;
        Ok(Answer::of(&record, format!("{}{}", unescaped(&ran.stdout), ran.stderr)))
    }

    fn payload(&self, step: &Step, number: usize) -> String {
        let project = self.project().to_string_lossy().into_owned();
        let mut members: Vec<(String, Value)> = [
            ("session_id", "tollgate-test"),
            ("transcript_path", "/nonexistent/transcript.jsonl"),
            ("cwd", &project),
            ("permission_mode", "default"),
            ("hook_event_name", &step.event),
        ]
        .map(|(key, text)| (key.to_owned(), text.into()))
        .to_vec();
        if step.payload.iter().any(|(key, _)| key == "tool_name") {
            members.push(("tool_use_id".to_owned(), format!("toolu_{number}").as_str().into()));
        }
        for (key, value) in &step.payload {
            members.retain(|(known, _)| known != key);
            members.push((key.clone(), value.clone()));
        }
        let mut text = String::new();
        json::write(&Value::Map(members), &mut text);
        text
    }
}

/// What the gate made of an event.
struct Answer {
    verdict: Verdict,
    rules: Vec<String>,
    findings: Vec<String>,
    said: String,
}

impl Answer {
    fn of(record: &Value, said: String) -> Self {
        let named = |name: &str| Verdict::ALL.into_iter().find(|verdict| verdict.name() == name);
        let verdict = record.text("verdict").and_then(named).unwrap_or(Verdict::Halt);
        let findings = record.get("findings").and_then(Value::as_list).unwrap_or_default();
        let text = |finding: &Value, key: &str| finding.text(key).unwrap_or_default().to_owned();
        Self {
            verdict,
            rules: findings.iter().map(|finding| text(finding, "rule")).collect(),
            findings: findings
                .iter()
                .map(|finding| format!("{}: {}", text(finding, "rule"), text(finding, "what")))
                .collect(),
            said,
        }
    }

    fn check(&self, step: &Step) -> anyhow::Result<()> {
        let found = if self.findings.is_empty() {
            "no rule found anything".to_owned()
        } else {
            self.findings.join("\n")
        };
        if !step.expect.fits(self.verdict) {
            bail!("expected {}, but it is {}: {found}", step.expect.name(), self.verdict.name());
        }
        if !step.rule.is_empty() && !self.rules.contains(&step.rule) {
            bail!("`{}` found nothing: {found}", step.rule);
        }
        if !self.said.contains(&step.says) {
            bail!("the answer does not say `{}`: {}", step.says, self.said.trim());
        }
        Ok(())
    }
}

/// The texts in an agent's answer, as people read them.
fn unescaped(stdout: &str) -> String {
    fn texts(value: &Value, out: &mut String) {
        match value {
            Value::String(text) => {
                out.push_str(text);
                out.push('\n');
            }
            Value::List(items) => items.iter().for_each(|item| texts(item, out)),
            Value::Map(members) => members.iter().for_each(|(_, member)| texts(member, out)),
            _ => {}
        }
    }
    let mut out = String::new();
    match json::parse(stdout.trim().as_bytes()) {
        Ok(value) => texts(&value, &mut out),
        Err(_) => out.push_str(stdout),
    }
    out
}

/// Copies a folder that may not exist, without following links.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let Ok(entries) = fs::read_dir(from) else { return Ok(()) };
    fs::create_dir_all(to)?;
    for entry in entries.flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type()? {
            kind if kind.is_dir() => copy(&entry.path(), &target)?,
            kind if kind.is_file() => drop(fs::copy(entry.path(), target)?),
            _ => {}
        }
    }
    Ok(())
}
