use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before deleting a live resource.
    ///
    /// ## Instead
    /// Look at it first: `kubectl get`, `aws … describe-…`, `--dry-run=client`.
    pub struct InfraDelete;
    id: "infra-delete", pack: Cloud, level: Ask,
    instead: ["kubectl get pods -n shop"],
    examples: [
        hit Shell("kubectl delete pod web-1"),
        hit Shell("kubectl scale deploy web --replicas=0"),
        hit Shell("kubectl -n p drain node1"),
        hit Shell("helm uninstall app -n prod"),
        hit Shell("aws lambda delete-function --function-name f"),
        hit Shell("aws s3 rm s3://bucket/key"),
        hit Shell("gcloud compute instances delete vm1"),
        hit Shell("terraform state rm aws_instance.a"),
        hit Shell("vault kv delete secret/app"),
        hit Shell("etcdctl del /k"),
        hit Shell("kubectl exec web-1 -- rm -rf /var/data"),
        hit Shell("gh release delete v1"),
        hit Shell("ansible web -m shell -a \"rm -rf /srv/app\""),
        pass Shell("kubectl delete pod web-1 --dry-run=server"),
        pass Shell("kubectl logs web-1"),
        pass Shell("kubectl apply -f k8s/"),
        pass Shell("kubectl exec web-1 -- ls /"),
        pass Shell("kubectl exec web-1 -- rm -rf /tmp/x"),
        pass Shell("helm template chart"),
        pass Shell("aws s3 ls s3://bucket"),
        pass Shell("gh pr create --title \"delete old pods\" --body \"kubectl delete pod\""),
        pass Shell("gh pr merge 12 --squash"),
        pass Shell("terraform state list"),
        pass Shell("aws ec2 run-instances --instance-initiated-shutdown-behavior terminate"),
    ],
}

impl Rule for InfraDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "delete" => Words::new(
                format!("deletes a live resource: `{target}`"),
                "show the person what the resource is, and let them decide",
            ),
            _ => None,
        })
    }
}
