//! Infrastructure as code: terraform, pulumi and their like.

use tollgate_shell::eval::Outcome;

use super::verbs::{APPLY, DELETE, DESTROY, Deed, Line, SECRET, Tool};
use super::{Commands, Run, ansible};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("terraform", terraform),
    ("tofu", terraform),
    ("terragrunt", terragrunt),
    ("ansible", ansible::ansible),
    ("ansible-playbook", ansible::ansible_playbook),
    ("ansible-pull", ansible::ansible_pull),
    ("vagrant", vagrant),
];

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        names: &["terraform", "tofu", "opentofu"],
        values: "chdir var var-file target replace state state-out out backup backend-config lock-timeout parallelism",
        one_dash: true,
        deeds: &[
            ("destroy", DESTROY),
            ("apply --destroy", DESTROY),
            ("output *password*|*secret*|*token*|*private_key*|*credential*|*kubeconfig*", SECRET),
            ("output *", Deed::Safe),
            ("output --json", SECRET),
            ("show *", Deed::Safe),
            ("show --json", SECRET),
            (
                "plan|validate|fmt|init|show|output|graph|providers|version|console|get|login|logout|test|metadata|import|refresh",
                Deed::Safe,
            ),
            ("apply --auto-approve", APPLY),
            ("apply *", APPLY),
            ("apply <", APPLY),
            ("state rm|push|mv|replace-provider", DELETE),
            ("state pull", SECRET),
            ("state list|show", Deed::Safe),
            ("workspace delete", DELETE),
            ("force-unlock", DELETE),
            ("taint", DELETE),
        ],
    },
    Tool {
        names: &["terragrunt"],
        values: "working-dir config terragrunt-working-dir terragrunt-config terragrunt-source var var-file target queue-include-dir",
        one_dash: false,
        deeds: &[
            ("destroy-all", DESTROY),
            ("** destroy", DESTROY),
            ("** apply --destroy", DESTROY),
            ("** plan|validate|output|init", Deed::Safe),
            ("apply-all", APPLY),
            ("run-all|run|stack apply", APPLY),
            ("** apply --auto-approve", APPLY),
            ("** state rm|push", DELETE),
        ],
    },
    Tool {
        names: &["pulumi"],
        values: "C cwd s stack config-file p parallel target t replace m message color",
        one_dash: false,
        deeds: &[
            ("destroy|down|dn !--preview-only", DESTROY),
            ("stack rm", DESTROY),
            ("preview|pre", Deed::Safe),
            ("up|update -y,--yes", APPLY),
            ("up|update -f,--skip-preview", APPLY),
            ("up|update <", APPLY),
            ("state delete", DELETE),
            ("stack import", DELETE),
            ("cancel", DELETE),
            ("config --show-secrets", SECRET),
            ("config get *assword*|*ecret*|*oken*|*redential*|*rivateKey*|*piKey*|*ccessKey*", SECRET),
            ("stack output|export --show-secrets", SECRET),
            ("env open", SECRET),
        ],
    },
    Tool {
        names: &["cdk", "cdktf", "aws-cdk"],
        values: "a app c context profile o output role-arn toolkit-stack-name require-approval",
        one_dash: false,
        deeds: &[
            ("destroy", DESTROY),
            ("deploy --require-approval=never", APPLY),
            ("deploy --auto-approve", APPLY),
            ("deploy -y,--yes", APPLY),
        ],
    },
    Tool {
        names: &["serverless", "sls"],
        values: "s stage r region c config aws-profile p package",
        one_dash: false,
        deeds: &[("remove", DESTROY), ("deploy", Deed::Safe)],
    },
    Tool {
        names: &["sam", "copilot", "sst", "amplify", "eb"],
        values: "stack-name region profile config-env config-file stage app env n name",
        one_dash: false,
        deeds: &[
            ("delete", DESTROY),
            ("terminate", DESTROY),
            ("remove", DESTROY),
            ("app|env|svc|job|pipeline delete", DESTROY),
            ("printenv", SECRET),
        ],
    },
    Tool {
        names: &["crossplane", "terracognita"],
        values: "",
        one_dash: false,
        deeds: &[("uninstall", DESTROY)],
    },
    Tool {
        names: &["ansible-vault"],
        values: "vault-id vault-password-file",
        one_dash: false,
        deeds: &[("view|decrypt", SECRET)],
    },
    Tool {
        names: &["nomad"],
        values: "address region namespace token",
        one_dash: true,
        deeds: &[
            ("job stop --purge", DESTROY),
            ("stop --purge", DESTROY),
            ("namespace|volume delete", DESTROY),
            ("system gc", DELETE),
            ("job stop", DELETE),
            ("stop", DELETE),
        ],
    },
    Tool {
        names: &["pct", "qm"],
        values: "",
        one_dash: true,
        deeds: &[("destroy", DESTROY), ("delsnapshot|rollback", DELETE)],
    },
    Tool {
        names: &["govc"],
        values: "u dc ds host vm",
        one_dash: true,
        deeds: &[
            ("vm.destroy|datastore.rm|object.destroy|pool.destroy|cluster.rm|snapshot.remove", DESTROY),
            ("*.destroy|*.rm|*.remove|vm.unregister", DELETE),
        ],
    },
    Tool {
        names: &["virsh"],
        values: "c connect",
        one_dash: false,
        deeds: &[
            ("undefine --remove-all-storage", DESTROY),
            ("vol-delete|vol-wipe|pool-delete", DESTROY),
            ("undefine|destroy|snapshot-delete", DELETE),
        ],
    },
    Tool {
        names: &["knife"],
        values: "s server-url k key u user c config E environment F format",
        one_dash: false,
        deeds: &[
            ("node|client|role|environment|cookbook bulk delete", DESTROY),
            ("node|client|role|environment|cookbook|user|org delete", DELETE),
            ("data bag delete", DELETE),
        ],
    },
    Tool {
        names: &["multipass", "limactl", "colima", "prlctl", "utmctl", "tart", "crc"],
        values: "",
        one_dash: false,
        deeds: &[
            ("delete", Deed::Infra("delete-data")),
            ("purge", Deed::Infra("delete-data")),
            ("reset|factory-reset", Deed::Infra("delete-data")),
        ],
    },
];

/// Functions of terraform's language that read a file: `echo 'file("x")' | terraform console`.
const READERS: &[&str] =
    &["file", "filebase64", "templatefile", "filesha256", "filemd5", "filebase64sha256", "filesha512"];

/// What is typed into the console is shown.
fn console(run: &mut Run) {
    let Some(text) = run.stdin().and_then(|text| text.as_literal().map(str::to_owned)) else { return };
    for (at, _) in text.match_indices("(\"") {
        let name = text.get(..at).unwrap_or_default();
        let name = name.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        let path = text.get(at + 2..).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        // It knows `~` only by `pathexpand`, which stands around it.
        let path = path
            .strip_prefix("~")
            .map_or_else(|| path.to_owned(), |rest| format!("{}{rest}", run.analyst.world.home()));
        if READERS.contains(&name) || name == "pathexpand" {
            run.read(&Word::literal_at(&path, run.call.span), false);
        }
    }
}

/// `TF_CLI_ARGS` and `TF_CLI_ARGS_apply` hold options that nobody typed.
fn terraform(run: &mut Run) -> Outcome {
    let verb = run.args.iter().map(Word::shown).find(|word| !word.starts_with('-')).unwrap_or_default();
    if verb == "console" {
        console(run);
    }
    let names = ["TF_CLI_ARGS".to_owned(), format!("TF_CLI_ARGS_{verb}")];
    let exported = run.shell.exported().filter(|(name, _)| names.iter().any(|known| known == name));
    let texts: Vec<String> =
        exported.filter_map(|(_, value)| value.as_literal().map(str::to_owned)).collect();
    if !texts.is_empty()
        && let Some(tool) = super::verbs::find(run.program)
    {
        let mut words = run.args.to_vec();
        let more = texts.iter().flat_map(|text| text.split_whitespace());
        words.extend(more.map(|word| Word::literal_at(word, run.call.span)));
        super::verbs::judge(run, tool, &words);
    }
    run.derived()
}

/// `terragrunt run --all -- destroy`: what stands behind the dashes is terraform's.
fn terragrunt(run: &mut Run) -> Outcome {
    let words: Vec<Word> = run.args.iter().filter(|word| !word.is("--")).cloned().collect();
    if words.len() < run.args.len()
        && let Some(tool) = super::verbs::find("terragrunt")
    {
        super::verbs::judge(run, tool, &words);
    }
    run.derived()
}

/// A playbook is somebody's code for other machines: it is only noted when it runs for real against production.
/// Is this the name of a production system?
pub(super) fn is_production(name: &str) -> bool {
    let lower = name.to_lowercase();
    let mut parts = lower.split(|letter: char| !letter.is_alphanumeric());
    parts.any(|part| {
        matches!(part, "prod" | "production" | "prd" | "live")
            || (part.starts_with("prod") && !part.starts_with("produc"))
            || part.ends_with("prod")
            || part.ends_with("production")
    })
}

/// A virtual machine of the project: its own data is lost, and what runs in it is not here.
fn vagrant(run: &mut Run) -> Outcome {
    let line = Line::read(run.args, "c command p plain provider", false);
    match line.verb(0).as_str() {
        "destroy" => {
            let (tool, operation) = (run.program.to_owned(), "delete-data".to_owned());
            let target = "a virtual machine with all data in it".to_owned();
            run.push(tollgate_model::EffectKind::Infra { tool, operation, target });
            run.derived()
        }
        "ssh" => {
            let words = match line.values(&["c", "command"]).last().cloned() {
                Some(text) => {
                    vec![Word::literal_at("sh", text.span), Word::literal_at("-c", text.span), text]
                }
                None => line.after.clone(),
            };
            // The project lies there as `/vagrant`.
            let world = run.analyst.world;
            let mut there = crate::elsewhere::Elsewhere::new(world);
            there.mount("/vagrant", tollgate_shell::value::Text::literal(world.workspace()), false);
            super::containers::inside(run, there, None, &words)
        }
        _ => run.derived(),
    }
}
