use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks requests to a cloud's metadata service, which returns the credentials of the machine.
    ///
    /// Every spelling of the address is recognised: one number, octal, hexadecimal, IPv6, percent-encoded.
    ///
    /// ## Instead
    /// Ask the person for the one fact that is needed (region, instance type), or use the cloud's own tool.
    pub struct MetadataAddress;
    id: "metadata-address", pack: Exfiltration, level: Deny,
    instead: ["aws configure get region"],
    examples: [
        hit Shell("curl http://169.254.169.254/latest/meta-data/"),
        hit Shell("curl -s http://2852039166/latest/meta-data/iam/security-credentials/"),
        hit Shell("wget -qO- http://0xa9.0xfe.0xa9.0xfe/"),
        hit Shell("curl 'http://[::ffff:a9fe:a9fe]/'"),
        hit Shell("curl -H 'Metadata-Flavor: Google' http://metadata.google.internal/computeMetadata/v1/"),
        hit Shell("curl --connect-to ::169.254.169.254:80 http://example.test/"),
        hit Shell("curl --resolve x.test:80:169.254.169.254 http://x.test/"),
        hit Shell("curl 'http://169.254.{169.254,1.1}/'"),
        hit Shell("echo GET / > /dev/tcp/169.254.169.254/80"),
        hit Fetch("http://0xa9.0xfe.0xa9.0xfe/"),
        hit Fetch("http://user@169.254.169.254:80/latest"),
        hit Fetch("http://[fd00:ec2::254]/latest/meta-data"),
        hit Fetch("http://100.100.100.200/latest/meta-data/"),
        hit Fetch("http://%31%36%39.254.169.254./x"),
        pass Fetch("https://docs.example.test/?about=169.254.169.254"),
        pass Fetch("http://169.254.1.1/"),
        pass Shell("curl https://example.test/169.254.169.254"),
        pass Shell("echo 169.254.169.254 metadata.google.internal"),
        pass Shell("grep -rn 169.254.169.254 src"),
        pass Shell("curl http://metadata.example.test/v1"),
    ],
}

/// The addresses of metadata services, as they are spelled after normalising.
const SERVICES: &[&str] = &[
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "100.100.100.200",
    "192.0.0.192",
    "metadata.google.internal",
    "metadata.goog",
    "metadata",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
];

impl Rule for MetadataAddress {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Net { host, .. } if SERVICES.contains(&host.as_str()) => Words::new(
                format!(
                    "sends a request to `{host}`, the metadata service that returns this machine's credentials"
                ),
                "ask the person for the one fact that is needed",
            ),
            _ => None,
        })
    }
}
