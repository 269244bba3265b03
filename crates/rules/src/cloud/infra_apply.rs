use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before changing infrastructure without a reviewed plan.
    ///
    /// ## Instead
    /// Run `terraform plan`, show the plan to the person, then apply it.
    pub struct InfraApply;
    id: "infra-apply", pack: Cloud, level: Ask,
    instead: ["terraform plan"],
    examples: [
        hit Shell("terraform apply -auto-approve"),
        hit Shell("terraform apply plan.tfplan"),
        hit Shell("yes yes | terraform apply"),
        hit Shell("terragrunt run-all apply"),
        hit Shell("pulumi up --yes"),
        hit Shell("cdk deploy --require-approval never"),
        pass Shell("terraform plan -out plan.tfplan"),
        pass Shell("terraform validate"),
        pass Shell("terraform fmt -recursive"),
        pass Shell("pulumi preview"),
        pass Shell("cdk diff"),
        pass Shell("cdk synth"),
    ],
}

impl Rule for InfraApply {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "apply" => Words::new(
                format!("changes infrastructure without a reviewed plan: `{target}`"),
                "make a plan, and show it to the person first",
            ),
            _ => None,
        })
    }
}
