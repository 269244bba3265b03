use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks destroying a whole environment: a cluster, namespace, project, bucket or database server, or all resources of a plan.
    ///
    /// ## Instead
    /// Show what would be destroyed (`terraform plan -destroy`, `kubectl get all -n NAME`), and let the person run it.
    pub struct InfraDestroy;
    id: "infra-destroy", pack: Cloud, level: Deny,
    instead: ["terraform plan -destroy"],
    examples: [
        hit Shell("terraform destroy -auto-approve"),
        hit Shell("terraform -chdir=infra/prod apply -destroy"),
        hit Shell("sudo tofu destroy"),
        hit Shell("kubectl -n prod delete sts --all"),
        hit Shell("kubectl --context live delete ns payments"),
        hit Shell("aws --profile ops s3 rb s3://logs --force"),
        hit Shell("aws s3 rm s3://data/ --recursive"),
        hit Shell("aws ec2 terminate-instances --instance-ids i-0abc"),
        hit Shell("gcloud projects delete shop-1 --quiet"),
        hit Shell("az group delete -n rg1 --yes"),
        hit Shell("pulumi destroy --yes"),
        hit Shell("npx cdk destroy"),
        hit Shell("sh -c \"fly apps destroy web -y\""),
        hit Shell("bash -c 'gh repo delete me/app --yes'"),
        hit Shell("rclone purge remote:backup"),
        hit Shell("eksctl delete cluster --name main"),
        pass Shell("terraform plan -destroy"),
        pass Shell("terraform destroy --help"),
        pass Shell("kubectl delete ns test --dry-run=client"),
        pass Shell("aws s3 rm s3://data/ --recursive --dryrun"),
        pass Shell("kubectl get ns"),
        pass Shell("git commit -m \"terraform destroy\""),
        pass Shell("grep -r \"kubectl delete ns\" docs"),
        pass Shell("kind delete cluster"),
        pass Shell("minikube delete"),
        pass Shell("aws ec2 describe-instances"),
        pass Shell("gcloud projects list"),
    ],
}

impl Rule for InfraDestroy {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "destroy" => Words::new(
                format!("destroys a whole environment: `{target}`"),
                "show what would be destroyed (a plan, a dry run), and let the person run it",
            ),
            _ => None,
        })
    }
}
