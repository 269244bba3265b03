//! Keepers of keys and tokens that have no family of their own. A catalogue: the verbs that print what they keep.

use super::verbs::{APPLY, DELETE, DESTROY, Deed, SECRET, TOKEN, Tool};

/// Whoever has the key of such a certificate can pass for any server.
const BELIEVES: Deed = Deed::Weaken("this machine: whose certificates it believes");

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        names: &["wg"],
        values: "",
        one_dash: false,
        deeds: &[("show * private-key|preshared-keys|dump", SECRET), ("showconf", SECRET)],
    },
    Tool {
        names: &["my_print_defaults"],
        values: "c config-file e defaults-extra-file g defaults-group-suffix",
        one_dash: false,
        deeds: &[("** -s,--show", SECRET)],
    },
    Tool { names: &["keyctl"], values: "", one_dash: false, deeds: &[("print|pipe|read", SECRET)] },
    Tool { names: &["snyk"], values: "", one_dash: false, deeds: &[("config get api|token", TOKEN)] },
    Tool {
        names: &["buildkite-agent"],
        values: "job token",
        one_dash: false,
        deeds: &[("secret get", SECRET)],
    },
    Tool { names: &["cloudflared"], values: "app", one_dash: false, deeds: &[("access token", TOKEN)] },
    Tool {
        names: &["trust"],
        values: "",
        one_dash: false,
        deeds: &[("anchor --remove", Deed::Safe), ("anchor *", BELIEVES)],
    },
    Tool {
        names: &["certutil"],
        values: "d t n i o",
        one_dash: false,
        deeds: &[("** -A -t=*C*|*T*", BELIEVES)],
    },
    Tool {
        names: &["atuin"],
        values: "limit c cwd e exclude-cwd s session b before after offset format f",
        one_dash: false,
        deeds: &[
            ("search *token*|*secret*|*passw*|*_KEY*|*_key*|*TOKEN*|*SECRET*", SECRET),
            ("history list", SECRET),
        ],
    },
    Tool {
        names: &["aws-vault", "saml2aws", "aws-okta"],
        values: "",
        one_dash: false,
        deeds: &[("export|script", SECRET), ("remove|clear", DELETE)],
    },
    Tool {
        names: &["snowsql", "databricks"],
        values: "p profile",
        one_dash: false,
        deeds: &[
            ("clusters|workspace|fs|jobs|catalogs|schemas|tables delete|rm|permanent-delete", DELETE),
            ("secrets get-secret", SECRET),
            ("auth token", TOKEN),
            ("bundle destroy", DESTROY),
            ("bundle deploy --auto-approve", APPLY),
        ],
    },
];
