//! Further clouds, services and stores with tools of their own. A catalogue: the verbs that take something away.

use super::verbs::{APPLY, DELETE, DESTROY, Deed, SECRET, Tool};

/// What of a machine or a device is lost with it.
const DATA: Deed = Deed::Infra("delete-data");

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        names: &["azd"],
        values: "C cwd e environment",
        one_dash: false,
        deeds: &[("down", DESTROY), ("env get-values", SECRET)],
    },
    Tool {
        names: &["upctl"],
        values: "o output config client-timeout",
        one_dash: false,
        deeds: &[
            (
                "server|storage|database|kubernetes|object-storage|network|router|load-balancer delete",
                DESTROY,
            ),
            ("** delete", DELETE),
        ],
    },
    Tool {
        names: &["confluent", "ccloud"],
        values: "environment cluster context api-key api-secret o output",
        one_dash: false,
        deeds: &[
            ("** cluster|topic|environment delete", DESTROY),
            ("** delete", DELETE),
            ("api-key create", SECRET),
        ],
    },
    Tool {
        names: &["shopify"],
        values: "t theme s store path password e environment",
        one_dash: false,
        deeds: &[
            ("theme delete", DELETE),
            ("theme push --live", APPLY),
            ("theme push -a,--allow-live", APPLY),
            ("theme push --publish", APPLY),
            ("theme publish", APPLY),
        ],
    },
    Tool {
        names: &["auth0"],
        values: "tenant",
        one_dash: false,
        deeds: &[
            (
                "apps|apis|orgs|roles|users|actions|rules|tenants|custom-domains|logs|event-streams delete|rm",
                DELETE,
            ),
            ("api delete", DELETE),
            ("apps show -r,--reveal-secrets", SECRET),
        ],
    },
    Tool {
        names: &["sf", "sfdx"],
        values: "o target-org s sobject f file w wait api-version target-dev-hub v",
        one_dash: false,
        deeds: &[
            // Made for a test, and for a few days.
            ("org delete scratch", Deed::Safe),
            ("org delete", DESTROY),
            ("data delete bulk", DESTROY),
            ("data delete", DELETE),
            ("project delete source", DELETE),
            ("force:org:delete", DESTROY),
            ("force:data:bulk:delete|force:data:record:delete|force:source:delete", DELETE),
        ],
    },
    Tool {
        names: &["appwrite"],
        values: "database-id collection-id document-id bucket-id file-id user-id function-id team-id project-id",
        one_dash: false,
        deeds: &[
            (
                "databases|tables-db|storage|users|teams|functions|projects|sites delete|delete-bucket|delete-collection",
                DESTROY,
            ),
            ("* delete-*", DELETE),
        ],
    },
    Tool {
        names: &["convex"],
        values: "table env-file deployment-name preview-name component",
        one_dash: false,
        deeds: &[
            ("import --replace-all", DESTROY),
            ("import --replace", DELETE),
            ("env remove|unset", DELETE),
        ],
    },
    Tool {
        names: &["juju"],
        values: "m model c controller",
        one_dash: false,
        deeds: &[
            ("destroy-controller|kill-controller|destroy-model", DESTROY),
            (
                "remove-application|remove-unit|remove-machine|remove-storage|detach-storage|remove-relation",
                DELETE,
            ),
        ],
    },
    Tool {
        names: &["tarsnap"],
        values: "f C T X keyfile cachedir configfile",
        one_dash: false,
        deeds: &[("** --nuke", DESTROY), ("** -n,--dry-run", Deed::Safe), ("** -d", DELETE)],
    },
    // The object store's client; the compiler of this name has no such verb.
    Tool {
        names: &["swift"],
        values: "A U K os-cloud os-auth-url",
        one_dash: false,
        deeds: &[("delete -a,--all", DESTROY), ("delete", DELETE)],
    },
    Tool {
        names: &["azcopy"],
        values: "include-pattern exclude-pattern log-level output-type",
        one_dash: false,
        deeds: &[
            ("** --dry-run", Deed::Safe),
            ("remove|rm --recursive", DESTROY),
            ("remove|rm", DELETE),
            ("sync --delete-destination=true|prompt", DELETE),
        ],
    },
    // Options of one dash are its verbs.
    Tool {
        names: &["hdfs", "hadoop"],
        values: "",
        one_dash: true,
        deeds: &[
            ("namenode --format", DESTROY),
            ("dfs|fs --rm --r", DESTROY),
            ("dfs|fs --rm --R", DESTROY),
            ("dfs|fs --rmr", DESTROY),
            ("dfs|fs --rm", DELETE),
            ("dfs|fs --expunge", DELETE),
        ],
    },
    Tool {
        names: &["gdrive"],
        values: "config",
        one_dash: false,
        deeds: &[("files|drives|account delete|remove", DELETE), ("delete", DELETE)],
    },
    Tool {
        names: &["certbot"],
        values: "cert-name d domain config-dir work-dir logs-dir reason cert-path",
        one_dash: false,
        deeds: &[("** --dry-run", Deed::Safe), ("delete|revoke|unregister", DELETE)],
    },
    Tool {
        names: &["sentry-cli"],
        values: "o org p project auth-token url log-level",
        one_dash: false,
        deeds: &[
            ("releases delete", DELETE),
            ("releases files ** delete", DELETE),
            ("monitors delete", DELETE),
        ],
    },
    Tool {
        names: &["twilio"],
        values: "p profile l o sid",
        one_dash: false,
        deeds: &[("profiles:remove", Deed::Safe), ("*:remove|*:delete", DELETE)],
    },
    Tool {
        names: &["fastboot"],
        values: "s S slot",
        one_dash: false,
        deeds: &[
            ("** -w", DATA),
            ("erase|format|flashall|update", DATA),
            ("flashing unlock|unlock_critical", DATA),
            ("oem unlock", DATA),
        ],
    },
    Tool {
        names: &["pgbackrest"],
        values: "stanza config repo",
        one_dash: false,
        deeds: &[("stanza-delete", DESTROY), ("** stanza-delete", DESTROY)],
    },
    Tool {
        names: &["memcflush", "memflush"],
        values: "servers",
        one_dash: false,
        deeds: &[
            ("** --servers=^@near", Deed::Database("truncate")),
            ("** --servers=*", Deed::Safe),
            ("**", Deed::Database("truncate")),
        ],
    },
    Tool {
        names: &["mysqlimport", "mariadb-import"],
        values: "h host P port u user S socket c columns fields-terminated-by lines-terminated-by",
        one_dash: false,
        deeds: &[("** -D,--delete", Deed::Database("delete-all"))],
    },
    Tool {
        names: &["pg_resetwal", "pg_resetxlog"],
        values: "D pgdata l next-wal-file x next-transaction-id",
        one_dash: false,
        deeds: &[("** -n,--dry-run", Deed::Safe), ("** -f,--force", Deed::Database("drop-database"))],
    },
    Tool {
        names: &["kexec"],
        values: "initrd append command-line",
        one_dash: false,
        deeds: &[("** -e,--exec", Deed::Power), ("** -f,--force", Deed::Power)],
    },
];
