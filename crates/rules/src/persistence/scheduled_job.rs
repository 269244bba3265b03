use tollgate_model::{Card, Case, Hit, Lasting, Rule};

use crate::kit::{left, rule};

rule! {
    /// Asks before creating a job for a timer or a service manager: cron, at, systemd, launchd.
    ///
    /// ## Instead
    /// Run it now, or write the job to a file inside the project for the person to install.
    pub struct ScheduledJob;
    id: "scheduled-job", pack: Persistence, level: Ask,
    instead: ["echo '0 3 * * * ./backup.sh' > jobs.cron"],
    examples: [
        hit Shell("crontab jobs.txt"),
        hit Shell("(crontab -l; echo '0 * * * * date') | crontab -"),
        hit Shell("crontab -r"),
        hit Shell("echo '* * * * * root date' > /etc/cron.d/x"),
        hit Shell("systemctl --user enable --now x.timer"),
        hit Write("~/.config/systemd/user/x.service"),
        hit Shell("echo 'date' | at now + 1 hour"),
        hit Shell("launchctl load -w ~/Library/LaunchAgents/x.plist"),
        hit Shell("git maintenance start && cp x.plist ~/Library/LaunchAgents/"),
        pass Shell("crontab -l"),
        pass Shell("systemctl status nginx"),
        pass Shell("systemctl --user list-timers"),
        pass Write("deploy/systemd/x.service"),
        pass Shell("launchctl list"),
        pass Shell("cat /etc/crontab"),
        pass Shell("sleep 5 && date"),
    ],
}

impl Rule for ScheduledJob {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        left(
            case,
            Lasting::Job,
            |place| format!("creates or changes a job of {place}, which runs unattended"),
            "run it now, or write the job to a file inside the project for the person to install",
        )
    }
}
