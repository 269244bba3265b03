//! Where packages come from.

use tollgate_model::EffectKind;

use crate::commands::Run;

/// Packages come from another index than usual.
pub(super) fn index(run: &mut Run, from: &str) {
    let shown: String = from.chars().filter(|letter| !letter.is_control()).take(100).collect();
    run.push(EffectKind::Weaken { what: format!("the package index (`{shown}`)") });
}

/// Indexes that a great many projects use by their own documentation.
pub(crate) fn is_known_index(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://") else { return false };
    let host = rest.split(['/', ':', '?']).next().unwrap_or_default();
    let known = [
        "pypi.org",
        "files.pythonhosted.org",
        "test.pypi.org",
        "download.pytorch.org",
        "pypi.nvidia.com",
        "pypi.ngc.nvidia.com",
        "data.pyg.org",
        "wheels.vllm.ai",
        "storage.googleapis.com",
        "registry.npmjs.org",
        "registry.yarnpkg.com",
        "npm.pkg.github.com",
        "rubygems.org",
        "index.crates.io",
        "rsproxy.cn",
        "mirrors.ustc.edu.cn",
        "astral-sh.github.io",
        "abetlen.github.io",
        "pypi.anaconda.org",
        "registry.npmmirror.com",
        "pypi.tuna.tsinghua.edu.cn",
        "mirrors.aliyun.com",
    ];
    known.contains(&host)
}
