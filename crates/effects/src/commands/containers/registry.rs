//! What is handed to a registry of images.

use tollgate_model::{Audience, EffectKind};
use tollgate_shell::eval::Outcome;

use super::super::Run;
use crate::options::{Order, read};
use crate::url;
use crate::word::Word;

/// `docker push image`. A registry on this machine is nobody else's.
pub(super) fn push(run: &mut Run, words: &[Word]) -> Outcome {
    let options = read(
        words,
        "a,all-tags disable-content-trust? platform= q,quiet authfile= creds= tls-verify?",
        Order::Anywhere,
    );
    let is_local = |image: &Word| {
        let name = image.text.prefix();
        name.contains('/') && url::is_this_machine(&url::host(name))
    };
    if options.operands.is_empty() || !options.operands.iter().all(is_local) {
        run.push(EffectKind::Publish { target: Audience::Registry("container".to_owned()) });
    }
    run.derived()
}
