use tollgate_model::{Card, Case, Hit, Lasting, Rule};

use crate::kit::{left, rule};

rule! {
    /// Asks before changing a file that shells, sessions or programs read at every start, or adding a program to the `PATH`.
    ///
    /// Its content still runs long after the session.
    ///
    /// ## Instead
    /// Set the variable for the one command that needs it, or tell the person which line to add.
    pub struct StartupFileWrite;
    id: "startup-file-write", pack: Persistence, level: Ask,
    instead: ["NODE_ENV=test npm test"],
    examples: [
        hit Shell("echo 'export PATH=$PATH:x' >> ~/.bashrc"),
        hit Shell("printf x | tee -a ~/.zprofile"),
        hit Shell("sed -i 's/a/b/' ~/.zshrc"),
        hit Shell("install -m 755 x ~/bin/ls"),
        hit Shell("ln -sf $PWD/evil.sh ~/.local/bin/git"),
        hit Write("~/.config/autostart/x.desktop"),
        hit Write("~/.ssh/config"),
        hit Shell("cat > ~/.config/fish/conf.d/x.fish <<< 'x'"),
        hit Shell("mv rc ~/.profile"),
        hit Write("/home/user/project/.venv/lib/python3.12/site-packages/sitecustomize.py"),
        hit Shell("bash -c 'echo x >> \"$HOME/.bash_profile\"'"),
        pass Shell("cat ~/.bashrc"),
        pass Shell("source ~/.bashrc"),
        pass Write(".bashrc.example"),
        pass Write("dotfiles/.zshrc"),
        pass Shell("echo 'add this to ~/.bashrc' > INSTALL.md"),
        pass Shell("grep PATH ~/.profile"),
        pass Shell("cp ~/.bashrc /tmp/bashrc.bak"),
        pass Shell("cp tool bin/tool"),
    ],
}

impl Rule for StartupFileWrite {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        left(
            case,
            Lasting::StartupFile,
            |place| format!("changes {place}, which is read or run at every start"),
            "set the variable for the one command that needs it, or tell the person which line to add",
        )
    }
}
