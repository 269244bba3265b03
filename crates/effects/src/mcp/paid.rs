//! Tools that move money: what they send is not brought back.

use tollgate_model::json::{self, Value};
use tollgate_model::{EffectKind, InfraTool};

use super::names::{Tool, Verb};

/// Services that hold money, as their servers are named.
const KEEPERS: &[&str] = &[
    "stripe",
    "paypal",
    "square",
    "adyen",
    "wise",
    "revolut",
    "plaid",
    "braintree",
    "razorpay",
    "mollie",
    "gocardless",
    "klarna",
    "venmo",
    "mercury",
    "brex",
    "ramp",
    "bank",
    "banking",
    "quickbooks",
    "xero",
    "coinbase",
    "binance",
    "kraken",
    "bybit",
    "alpaca",
    "robinhood",
    "ibkr",
    "wallet",
    "metamask",
    "ethereum",
    "solana",
    "bitcoin",
    "evm",
    "crypto",
    "payments",
    "payment",
    "treasury",
    "lightning",
];

/// What is paid, and the words for paying it.
const MOVES: &[&str] = &[
    "refund",
    "payout",
    "transfer",
    "withdraw",
    "withdrawal",
    "charge",
    "pay",
    "payment",
    "wire",
    "remit",
    "swap",
    "disburse",
    "capture",
    "funds",
    "money",
    "crypto",
    "donate",
];

/// Orders of a market.
const TRADES: &[&str] = &["order", "trade", "buy", "sell"];

/// Words by which a call only looks, or makes something that somebody else pays.
const LOOKS: &[&str] = &[
    "list",
    "get",
    "search",
    "find",
    "retrieve",
    "status",
    "link",
    "links",
    "method",
    "methods",
    "intent",
    "preview",
    "quote",
    "estimate",
    "docs",
    "documentation",
    "history",
    "report",
    "simulate",
    "validate",
    "webhook",
    "read",
    "show",
    "fetch",
    "describe",
    "fee",
    "fees",
    "cancel",
    "request",
];

/// What the call pays, if it does.
pub(super) fn pays(tool: &Tool, input: &Value) -> Option<EffectKind> {
    let any = |words: &[&str]| words.iter().any(|word| tool.has(word));
    let own = || tool.words.iter().skip(tool.server_words);
    let says = |words: &[&str]| own().any(|word| words.contains(&word.as_str()));
    let sum = ["amount", "amount_cents", "amountCents", "amount_money", "quantity", "qty", "notional"];
    let has_sum = sum.iter().any(|key| input.get(key).is_some());
    let sends = has_sum && says(&["send", "withdraw", "deposit"]);
    let money = any(KEEPERS) && (says(MOVES) || says(TRADES) || sends) || has_sum && says(MOVES);
    if !money || says(LOOKS) || tool.verb == Verb::Read {
        return None;
    }
    let amount = sum.iter().find_map(|key| input.get(key)).map(|amount| match amount {
        Value::String(text) => text.clone(),
        other => {
            let mut text = String::new();
            json::write(other, &mut text);
            text
        }
    });
    let target = format!("{} {}", own().cloned().collect::<Vec<_>>().join(" "), amount.unwrap_or_default());
    let (tool, operation) = (tool.server.clone(), "move-money".to_owned());
    Some(EffectKind::Infra { tool: InfraTool::Named(tool), operation, target: target.trim_end().to_owned() })
}
