use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before making a resource public: a bucket, a port, a repository.
    ///
    /// ## Instead
    /// Share it with one account, or by a signed link: `aws s3 presign s3://bucket/key`.
    pub struct CloudPublicAccess;
    id: "cloud-public-access", pack: Cloud, level: Ask,
    instead: ["aws s3 presign s3://bucket/key"],
    examples: [
        hit Shell("aws s3api put-bucket-acl --bucket b --acl public-read"),
        hit Shell("aws s3 cp dump.sql s3://b/ --acl public-read"),
        hit Shell("aws s3api put-public-access-block --bucket b --public-access-block-configuration BlockPublicAcls=false"),
        hit Shell("aws ec2 authorize-security-group-ingress --group-id sg-1 --protocol tcp --port 22 --cidr 0.0.0.0/0"),
        hit Shell("gcloud run services add-iam-policy-binding s --member=allUsers --role=roles/run.invoker"),
        hit Shell("gh repo edit --visibility public"),
        hit Shell("gsutil iam ch allUsers:objectViewer gs://b"),
        pass Shell("aws s3 presign s3://b/key"),
        pass Shell("aws s3api get-bucket-acl --bucket b"),
        pass Shell("aws s3 cp index.html s3://b/"),
        pass Shell("aws ec2 authorize-security-group-ingress --group-id sg-1 --protocol tcp --port 22 --cidr 10.0.0.0/8"),
        pass Shell("gh repo view"),
        pass Shell("gh repo edit --visibility private"),
    ],
}

impl Rule for CloudPublicAccess {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "public" => Words::new(
                format!("makes a resource public: `{target}`"),
                "share it with one account, or by a signed link",
            ),
            _ => None,
        })
    }
}
