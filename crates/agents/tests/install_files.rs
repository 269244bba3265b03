//! Installing into files on the disk, and the way back.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tollgate_agents::install::claude::settings::{Layer, Places, Scope};
use tollgate_agents::install::claude::{Registration, is_ours};
use tollgate_agents::install::{Adopt, Backups, Plan, Removal, Site, Undo};

struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".claude")).unwrap();
        Self { dir }
    }

    fn with(settings: &str) -> Self {
        let home = Self::new();
        fs::write(home.settings(), settings).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn settings(&self) -> PathBuf {
        self.path(".claude/settings.json")
    }

    fn site<'a>(&self, settings: &'a Path, state: &'a Path) -> Site<'a> {
        Site { agent: "claude-code", settings, state, ours: is_ours, blank: "", repair: None }
    }

    fn plan(&self, command: &str) -> Result<Plan, String> {
        let registration = Registration { command: command.into(), config: "/c".into(), state: "/s".into() };
        let (settings, state) = (self.settings(), self.path("state"));
        Plan::install(self.site(&settings, &state), &registration.entries(), &Adopt::Never)
            .map_err(|error| error.to_string())
    }

    /// Installs; true if that changed the file.
    fn init(&self) -> bool {
        let plan = self.plan("/opt/tollgate").unwrap();
        plan.apply().unwrap();
        plan.edited.is_some()
    }

    fn uninstall(&self) -> Undo {
        let (settings, state) = (self.settings(), self.path("state"));
        let removal = Removal::plan(self.site(&settings, &state)).unwrap();
        removal.apply().unwrap();
        removal.undo
    }

    fn text(&self) -> String {
        fs::read_to_string(self.settings()).unwrap()
    }

    fn handlers(&self, command: &str) -> usize {
        self.text().matches(&format!("\"{command}\"")).count()
    }

    fn backups(&self) -> Vec<tollgate_agents::install::Manifest> {
        Backups::in_state(&self.path("state")).all()
    }
}

const EVENTS: usize = tollgate_agents::install::claude::EVENTS.len();

type Prepare<'a> = &'a dyn Fn(&Home);

#[test]
fn init_twice_then_uninstall_gives_the_same_bytes() {
    let files = [
        "{}",
        "",
        "\n",
        "{\n}\n",
        "{\"a\":1}",
        "{\n  // c\n  \"a\": 1, // d\n}\n",
        "\u{feff}{\r\n\t\"a\": 1\r\n}",
        "{\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"x\" }] }]\n  }\n}\n",
    ];
    for before in files {
        let home = Home::with(before);
        assert!(home.init(), "{before}");
        assert_eq!(home.handlers("/opt/tollgate"), EVENTS);
        let after = home.text();
        assert!(!home.init(), "{before}: the second time changes nothing");
        assert_eq!(home.text(), after);
        assert!(matches!(home.uninstall(), Undo::Restore(_)));
        assert_eq!(home.text(), before);
        assert_eq!(home.uninstall(), Undo::Nothing);
        assert!(!home.path("state/backups").exists());
    }
}

#[test]
fn a_file_that_was_not_there_goes_again_with_its_directory() {
    let home = Home::new();
    fs::remove_dir(home.path(".claude")).unwrap();
    assert!(home.init());
    assert_eq!(home.handlers("/opt/tollgate"), EVENTS);
    assert_eq!(home.uninstall(), Undo::Delete);
    assert!(!home.path(".claude").exists());
}

#[test]
fn a_directory_that_others_use_by_then_stays() {
    let home = Home::new();
    fs::remove_dir(home.path(".claude")).unwrap();
    home.init();
    fs::write(home.path(".claude/CLAUDE.md"), "x").unwrap();
    home.uninstall();
    assert!(home.path(".claude/CLAUDE.md").exists() && !home.settings().exists());
}

#[test]
fn changes_made_in_between_survive_uninstall() {
    let home = Home::with("{\n  \"a\": 1\n}\n");
    home.init();
    fs::write(home.settings(), home.text().replace("\"a\": 1,", "\"a\": 2, // new")).unwrap();
    assert!(matches!(home.uninstall(), Undo::Edit(_)));
    assert_eq!(home.text(), "{\n  \"a\": 2 // new\n}\n");
    assert!(home.backups().is_empty());
}

#[test]
fn changes_made_in_between_survive_an_update_and_then_uninstall() {
    let home = Home::with("{\n  \"a\": 1\n}\n");
    home.init();
    fs::write(home.settings(), home.text().replace("\"a\": 1", "\"a\": 2")).unwrap();
    home.plan("/new/tollgate").unwrap().apply().unwrap();
    assert_eq!((home.handlers("/opt/tollgate"), home.handlers("/new/tollgate")), (0, EVENTS));
    assert!(matches!(home.uninstall(), Undo::Restore(_)));
    assert_eq!(home.text(), "{\n  \"a\": 2\n}\n");
}

#[test]
fn an_update_of_an_untouched_file_still_knows_the_first_bytes() {
    let before = "{ \n \"hooks\" : { }\n}";
    let home = Home::with(before);
    home.init();
    home.plan("/new/tollgate").unwrap().apply().unwrap();
    assert_eq!((home.handlers("/opt/tollgate"), home.handlers("/new/tollgate")), (0, EVENTS));
    home.uninstall();
    assert_eq!(home.text(), before);
}

#[test]
fn entries_of_older_forms_are_replaced_and_go() {
    let old = "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"tollgate hook claude-code\"}]}],\"MessageDisplay\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/old/tollgate\",\"args\":[\"hook\"]}]}]},\"a\":1}";
    let home = Home::with(old);
    let plan = home.plan("/opt/tollgate").unwrap();
    assert_eq!(plan.status.stale, ["PreToolUse", "MessageDisplay"]);
    plan.apply().unwrap();
    assert!(!home.text().contains("tollgate hook") && !home.text().contains("/old/"));
    assert_eq!(home.handlers("/opt/tollgate"), EVENTS);
    home.uninstall();
    assert_eq!(home.text(), "{\"a\":1}");
}

#[test]
fn a_lost_state_directory_does_not_matter() {
    let home = Home::with("{\n  \"a\": 1\n}\n");
    home.init();
    fs::remove_dir_all(home.path("state")).unwrap();
    assert!(!home.init());
    assert!(matches!(home.uninstall(), Undo::Edit(_)));
    assert_eq!(home.text(), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_spoilt_backup_is_not_put_back() {
    let home = Home::with("{\n  \"a\": 1\n}\n");
    home.init();
    let folder = fs::read_dir(home.path("state/backups")).unwrap().next().unwrap().unwrap().path();
    for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "bytes") {
            fs::write(file, "{\"disableAllHooks\": true}").unwrap();
        }
    }
    assert!(matches!(home.uninstall(), Undo::Edit(_)));
    assert_eq!(home.text(), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_link_stays_a_link_and_its_file_keeps_mode() {
    let home = Home::new();
    let dotfiles = home.path("dotfiles");
    fs::create_dir(&dotfiles).unwrap();
    let real = dotfiles.join("claude.json");
    fs::write(&real, "{ \"a\": 1 }\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("../dotfiles/claude.json", home.settings()).unwrap();
    assert!(home.init());
    assert!(home.settings().symlink_metadata().unwrap().is_symlink());
    assert_eq!(real.metadata().unwrap().mode() & 0o7777, 0o640);
    assert!(fs::read_to_string(&real).unwrap().contains("/opt/tollgate"));
    assert_eq!(fs::read_dir(&dotfiles).unwrap().count(), 1, "no temporary file is left");
    home.uninstall();
    assert!(home.settings().symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{ \"a\": 1 }\n");
    assert_eq!(real.metadata().unwrap().mode() & 0o7777, 0o640);
}

#[test]
fn a_linked_directory_is_followed() {
    let home = Home::new();
    fs::remove_dir(home.path(".claude")).unwrap();
    fs::create_dir(home.path("elsewhere")).unwrap();
    symlink(home.path("elsewhere"), home.path(".claude")).unwrap();
    home.init();
    assert!(home.path("elsewhere/settings.json").exists());
    home.uninstall();
    assert!(!home.path("elsewhere/settings.json").exists() && home.path(".claude").exists());
}

#[test]
fn files_that_are_not_safe_to_write_are_refused() {
    let open =
        |home: &Home| fs::set_permissions(home.path(".claude"), fs::Permissions::from_mode(0o777)).unwrap();
    let cases: &[(&str, Prepare, &str)] = &[
        (
            "f21 a dangling link",
            &|home| symlink("/no/such/file", home.settings()).unwrap(),
            "which is not there",
        ),
        ("f21 a directory", &|home| fs::create_dir(home.settings()).unwrap(), "not a regular file"),
        ("f21 a device", &|home| symlink("/dev/null", home.settings()).unwrap(), "not a regular file"),
        ("f21 a pipe", &|home| make_pipe(&home.settings()), "not a regular file"),
        (
            "f21 a second name",
            &|home| {
                fs::write(home.settings(), "{}").unwrap();
                fs::hard_link(home.settings(), home.path("other")).unwrap();
            },
            "hard link",
        ),
        ("f21 a loop", &|home| symlink("settings.json", home.settings()).unwrap(), "loop"),
        (
            "f22 a link where anyone can put one",
            &|home| {
                fs::write(home.path("target.json"), "{}").unwrap();
                symlink("../target.json", home.settings()).unwrap();
                open(home);
            },
            "anyone can put one",
        ),
        (
            "bytes that are no text",
            &|home| fs::write(home.settings(), b"{\"a\": \"\xff\"}").unwrap(),
            "not UTF-8",
        ),
        ("broken JSON", &|home| fs::write(home.settings(), "{\n  \"a\" 1\n}").unwrap(), "settings.json:2:"),
        (
            "hooks of a wrong type",
            &|home| fs::write(home.settings(), "{\"hooks\": 7}").unwrap(),
            "settings.json:1:11: `hooks` must be an object",
        ),
    ];
    for (name, prepare, expected) in cases {
        let home = Home::new();
        prepare(&home);
        let content = || if name.contains("pipe") { None } else { fs::read(home.settings()).ok() };
        let before = content();
        let error = home.plan("/opt/tollgate").expect_err(name);
        assert!(error.contains(expected), "{name}: {error}");
        assert_eq!(content(), before, "{name}");
        assert!(!home.path("state").exists(), "{name}");
    }
}

#[test]
fn a_change_between_plan_and_apply_is_noticed() {
    let home = Home::with("{}");
    let plan = home.plan("/opt/tollgate").unwrap();
    fs::write(home.settings(), "{\"a\":1}").unwrap();
    let error = plan.apply().unwrap_err().to_string();
    assert!(error.contains("in the meantime"), "{error}");
    assert_eq!(home.text(), "{\"a\":1}");
    assert_eq!(home.uninstall(), Undo::Nothing);
}

#[test]
fn f21_backups_are_private_and_links_are_not_followed() {
    let home = Home::with("{}");
    home.init();
    let folder = fs::read_dir(home.path("state/backups")).unwrap().next().unwrap().unwrap().path();
    for path in [home.path("state/backups"), folder.clone()] {
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o700);
    }
    for entry in fs::read_dir(&folder).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().mode() & 0o777, 0o600);
    }
    let home = Home::with("{}");
    fs::create_dir(home.path("state")).unwrap();
    fs::create_dir(home.path("trap")).unwrap();
    symlink(home.path("trap"), home.path("state/backups")).unwrap();
    let error = home.plan("/opt/tollgate").unwrap().apply().unwrap_err().to_string();
    assert!(error.contains("not a directory"), "{error}");
    assert_eq!(fs::read_dir(home.path("trap")).unwrap().count(), 0);
    assert_eq!(home.text(), "{}");
}

#[test]
fn manifests_tell_what_was_done() {
    let home = Home::with("{ \"hooks\": {} }");
    home.init();
    let manifest = home.backups().pop().unwrap();
    assert_eq!(manifest.path, home.settings());
    assert_eq!(manifest.events.len(), EVENTS);
    assert_eq!(manifest.created.len(), EVENTS, "every event, but not `hooks`");
    assert!(manifest.before.is_some() && manifest.time > 1_700_000_000);
}

#[test]
fn layers_tell_what_touches_the_gate() {
    let home = Home::with(
        "{ \"env\": { \"PATH\": \"/x\", \"FOO\": \"1\", \"LD_PRELOAD\": \"y\" }, \"sandbox\": { \"enabled\": true } }",
    );
    let project = home.path("p");
    fs::create_dir_all(project.join(".claude")).unwrap();
    fs::write(
        project.join(".claude/settings.json"),
        "{ \"disableAllHooks\": true, \"allowManagedHooksOnly\": true }",
    )
    .unwrap();
    fs::write(
        project.join(".claude/settings.local.json"),
        "{ \"permissions\": { \"defaultMode\": \"bypassPermissions\" }, }",
    )
    .unwrap();
    let managed = home.path("etc");
    fs::create_dir_all(managed.join("managed-settings.d")).unwrap();
    fs::write(managed.join("managed-settings.d/10.json"), "{ \"allowManagedHooksOnly\": true }").unwrap();
    let places = Places { managed: vec![managed], ..Places::new(home.dir.path(), &project, None) };
    let layers = places.layers();
    let scopes: Vec<Scope> = layers.iter().map(|layer| layer.scope).collect();
    assert_eq!(scopes, [Scope::User, Scope::Project, Scope::Local, Scope::Managed]);
    let [user, project, local, managed]: &[Layer; 4] = layers.as_slice().try_into().unwrap();
    assert_eq!((user.risky_env(), user.sandbox()), (vec!["PATH", "LD_PRELOAD"], Some(true)));
    assert_eq!(project.switches_off(), Some("disableAllHooks"));
    assert!(
        local.bypasses() && local.ignored.as_ref().unwrap().contains("1:56: a trailing comma"),
        "{:?}",
        local.ignored
    );
    assert_eq!(managed.switches_off(), Some("allowManagedHooksOnly"));
}

fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}
