//! What PowerShell calls the requests of clouds, which it does not tell apart by their letters. A catalogue.

use super::cloud::WEAKER;
use super::verbs::{GRANT, PUBLIC, Tool};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        names: &[
            "new-azroleassignment",
            "new-iamaccesskey",
            "set-azkeyvaultaccesspolicy",
            "new-iamloginprofile",
            "update-iamassumerolepolicy",
            "write-iamuserpolicy",
            "write-iamrolepolicy",
        ],
        values: "",
        one_dash: true,
        deeds: &[("**", GRANT)],
    },
    Tool {
        names: &["register-iamuserpolicy", "register-iamrolepolicy", "register-iamgrouppolicy"],
        values: "PolicyArn UserName RoleName GroupName",
        one_dash: true,
        deeds: &[("** --PolicyArn=*AdministratorAccess|*IAMFullAccess|*PowerUserAccess", GRANT)],
    },
    Tool {
        names: &["set-s3acl"],
        values: "BucketName Key CannedACLName",
        one_dash: true,
        deeds: &[
            ("** --PublicReadOnly", PUBLIC),
            ("** --PublicReadWrite", PUBLIC),
            ("** --CannedACLName=public-*", PUBLIC),
        ],
    },
    Tool {
        names: &["remove-s3publicaccessblock", "write-s3bucketpolicy"],
        values: "",
        one_dash: true,
        deeds: &[("**", PUBLIC)],
    },
    Tool {
        names: &[
            "stop-ctlogging",
            "remove-cttrail",
            "remove-gddetector",
            "disable-shubsecurityhub",
            "disable-kmskey",
        ],
        values: "",
        one_dash: true,
        deeds: &[("**", WEAKER)],
    },
];
