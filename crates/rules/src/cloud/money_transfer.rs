use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before a payment, a refund, a payout or an order at a market.
    ///
    /// Money that was sent does not come back.
    ///
    /// ## Instead
    /// Read the balance, or use the service's test mode.
    pub struct MoneyTransfer;
    id: "money-transfer", pack: Cloud, level: Ask,
    instead: ["stripe balance retrieve"],
    examples: [
        hit Mcp("stripe create_refund {\"payment_intent\":\"pi_1\",\"amount\":5000}"),
        hit Mcp("paypal create_payout {\"amount\":\"100\"}"),
        hit Mcp("bank transfer {\"amount\":100,\"to\":\"x\"}"),
        hit Mcp("alpaca place_stock_order {\"symbol\":\"X\",\"qty\":3}"),
        hit Shell("stripe payouts create --live --amount 1000 --currency usd"),
        pass Mcp("stripe list_refunds {\"limit\":3}"),
        pass Mcp("stripe create_payment_link {\"price\":\"p\",\"quantity\":1}"),
        pass Mcp("stripe search_stripe_documentation {\"question\":\"how do I refund a charge\"}"),
        pass Mcp("github transfer_issue {\"owner\":\"a\",\"repo\":\"b\"}"),
        pass Shell("stripe refunds create --charge ch_1"),
    ],
}

impl Rule for MoneyTransfer {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "move-money" => Words::new(
                format!("moves money: `{target}`"),
                "use the service's test mode, or let the person pay",
            ),
            _ => None,
        })
    }
}
