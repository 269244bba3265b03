//! Steps that all run, whatever becomes of each, and the summary of them.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

#[derive(Default)]
pub struct Steps {
    done: Vec<Step>,
}

struct Step {
    name: &'static str,
    took: Duration,
    outcome: Outcome,
}

enum Outcome {
    Passed,
    Failed(String),
    Skipped(&'static str),
}

impl Steps {
    /// Runs a step and keeps what became of it; its value, if it passed.
    pub fn run<T>(&mut self, name: &'static str, step: impl FnOnce() -> Result<T>) -> Option<T> {
        println!("\n== {name}");
        let start = Instant::now();
        let result = step();
        let outcome = match &result {
            Ok(_) => Outcome::Passed,
            Err(error) => Outcome::Failed(format!("{error:#}")),
        };
        self.done.push(Step { name, took: start.elapsed(), outcome });
        result.ok()
    }

    /// Notes a step that cannot run, which counts as failed.
    pub fn skip(&mut self, name: &'static str, reason: &'static str) {
        self.done.push(Step { name, took: Duration::ZERO, outcome: Outcome::Skipped(reason) });
    }

    /// Prints the summary; an error if any step did not pass.
    pub fn finish(self) -> Result<()> {
        println!("\n== summary");
        for step in &self.done {
            let seconds = step.took.as_secs();
            let (mark, detail) = match &step.outcome {
                Outcome::Passed => ("ok", ""),
                Outcome::Failed(error) => ("FAILED", error.as_str()),
                Outcome::Skipped(reason) => ("NOT RUN", *reason),
            };
            println!("{mark:<8} {:<32} {:>2} min {:>2} s  {detail}", step.name, seconds / 60, seconds % 60);
        }
        let total: Duration = self.done.iter().map(|step| step.took).sum();
        println!("{:<8} {:<32} {:>2} min {:>2} s", "", "total", total.as_secs() / 60, total.as_secs() % 60);
        let failed = self.done.iter().filter(|step| !matches!(step.outcome, Outcome::Passed)).count();
        if failed > 0 {
            bail!("{failed} of {} steps did not pass", self.done.len());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Steps;
    use anyhow::bail;

    #[test]
    fn a_failing_step_hides_no_later_one() {
        let mut steps = Steps::default();
        assert_eq!(steps.run("first", || Ok(1)), Some(1));
        assert_eq!(steps.run::<()>("second", || bail!("broken")), None);
        let mut ran = false;
        steps.run("third", || {
            ran = true;
            Ok(())
        });
        assert!(ran);
        assert_eq!(steps.finish().unwrap_err().to_string(), "1 of 3 steps did not pass");
    }

    #[test]
    fn a_skipped_step_is_not_a_passed_one() {
        let mut steps = Steps::default();
        steps.skip("only", "nothing to run");
        assert!(steps.finish().is_err());
    }
}
