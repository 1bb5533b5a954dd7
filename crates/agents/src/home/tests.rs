//! A home like an agent's, and what an agent may do to it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

const LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("AGENT_HOME"),
    below_moved: "auth.json",
    below_home: ".agent/auth.json",
    to: "data/auth.json",
}];
const BEFORE: &str = r#"{"refresh":"refresh-token-1","expires":1}"#;
const RENEWED: &str = r#"{"refresh":"refresh-token-2","expires":2}"#;

struct World {
    temp: TempDir,
    home: Home,
}

impl World {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let theirs = temp.path().join("person/.agent");
        fs::create_dir_all(&theirs).unwrap();
        fs::write(theirs.join("auth.json"), BEFORE).unwrap();
        fs::set_permissions(theirs.join("auth.json"), fs::Permissions::from_mode(0o640)).unwrap();
        let home = Home::create(&temp.path().join("state/agents/1")).unwrap();
        Self { temp, home }
    }

    fn lend(&self) -> &Self {
        let person = self.temp.path().join("person");
        self.home.bring_login(&LOGIN, Some(&person), |_| None).unwrap();
        self
    }

    fn copy(&self) -> PathBuf {
        self.home.path("data/auth.json")
    }

    fn theirs(&self) -> PathBuf {
        self.temp.path().join("person/.agent/auth.json")
    }

    #[track_caller]
    fn check(&self, theirs: &str) {
        self.home.take_login_out().unwrap();
        assert!(self.copy().symlink_metadata().is_err(), "the copy is still there");
        assert_eq!(fs::read_to_string(self.theirs()).unwrap(), theirs);
        assert!(!self.temp.path().join("state/agents/1.login.json").exists());
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn r113_a_login_is_copied_for_the_person_alone_and_removed() {
    let world = World::new();
    world.lend();
    assert_eq!(fs::read_to_string(world.copy()).unwrap(), BEFORE);
    assert_eq!(mode(&world.copy()), 0o600);
    assert_eq!(mode(world.home.folder()), 0o700);
    assert_eq!(world.home.secret_files().unwrap(), [world.copy()]);
    assert_eq!(world.home.secrets().unwrap()[0], "refresh-token-1");
    let lent = fs::read_to_string(world.temp.path().join("state/agents/1.login.json")).unwrap();
    assert!(!lent.contains("refresh-token"), "{lent}");
    world.check(BEFORE);
    world.check(BEFORE);
}

#[test]
fn r113_renewed_tokens_come_back_to_the_person() {
    let world = World::new();
    world.lend();
    fs::write(world.copy(), RENEWED).unwrap();
    assert!(world.home.secrets().unwrap().contains(&"refresh-token-2".to_owned()));
    world.check(RENEWED);
    assert_eq!(mode(&world.theirs()), 0o640);
}

#[test]
fn r113_a_login_that_is_a_link_stays_one() {
    let world = World::new();
    let real = world.temp.path().join("person/real.json");
    fs::rename(world.theirs(), &real).unwrap();
    symlink(&real, world.theirs()).unwrap();
    world.lend();
    fs::write(world.copy(), RENEWED).unwrap();
    world.check(RENEWED);
    assert!(world.theirs().is_symlink());
    assert_eq!(fs::read_to_string(real).unwrap(), RENEWED);
}

#[test]
fn r113_a_login_that_the_person_changed_in_the_meantime_is_left_alone() {
    let world = World::new();
    world.lend();
    let other = Home::create(&world.temp.path().join("state/agents/2")).unwrap();
    other.bring_login(&LOGIN, Some(&world.temp.path().join("person")), |_| None).unwrap();
    fs::write(world.copy(), RENEWED).unwrap();
    fs::write(other.path("data/auth.json"), RENEWED.replace("-2", "-3")).unwrap();
    world.check(RENEWED);
    other.take_login_out().unwrap();
    world.check(RENEWED);
}

#[test]
fn r113_what_an_agent_made_of_its_copy_does_not_reach_the_person() {
    let world = World::new();
    let large = format!(r#"{{"refresh":"{}","expires":1}}"#, "x".repeat(300 * 1024));
    for made in ["", "{}", "not json", r#"{"refresh":"","expires":1}"#, &large] {
        world.lend();
        fs::write(world.copy(), made).unwrap();
        world.check(BEFORE);
    }
}

#[test]
fn r113_no_link_of_an_agent_is_followed() {
    let world = World::new();
    let precious = world.temp.path().join("precious.json");
    fs::write(&precious, RENEWED).unwrap();
    world.lend();
    fs::remove_file(world.copy()).unwrap();
    symlink(&precious, world.copy()).unwrap();
    world.check(BEFORE);
    fs::remove_dir(world.home.path("data")).unwrap();
    let elsewhere = world.temp.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("auth.json"), RENEWED).unwrap();
    symlink(&elsewhere, world.home.path("data")).unwrap();
    world.lend();
    assert_eq!(fs::read_to_string(world.copy()).unwrap(), BEFORE);
    assert_eq!(fs::read_to_string(elsewhere.join("auth.json")).unwrap(), RENEWED);
    world.check(BEFORE);
    assert_eq!(fs::read_to_string(&precious).unwrap(), RENEWED);
}

#[test]
fn r113_a_folder_in_the_way_of_a_login_goes() {
    let world = World::new();
    fs::create_dir_all(world.copy().join("deep")).unwrap();
    world.lend();
    assert_eq!(fs::read_to_string(world.copy()).unwrap(), BEFORE);
    world.check(BEFORE);
}

#[test]
fn r113_the_leftovers_of_a_killed_engine_are_given_back_before_the_login_is_copied_again() {
    let world = World::new();
    world.lend();
    fs::write(world.copy(), RENEWED).unwrap();
    world.lend();
    assert_eq!(fs::read_to_string(world.copy()).unwrap(), RENEWED);
    world.home.discard().unwrap();
    assert!(!world.home.folder().exists());
    world.check(RENEWED);
}

#[test]
fn r113_a_login_is_found_where_the_person_moved_it_and_one_that_is_used_in_place_is_not_touched() {
    let world = World::new();
    let moved = world.temp.path().join("person/.agent");
    let lookup = |name: &str| (name == "AGENT_HOME").then(|| moved.clone());
    world.home.bring_login(&LOGIN, None, lookup).unwrap();
    assert!(world.copy().exists());
    world.home.use_login_in_place(&LOGIN, None, lookup).unwrap();
    assert!(!world.copy().exists());
    assert_eq!(world.home.secret_files().unwrap(), [world.theirs()]);
    assert_eq!(world.home.secrets().unwrap()[0], "refresh-token-1");
    world.check(BEFORE);
}

#[test]
fn r113_what_an_agent_closes_is_opened_again() {
    for depth in ["", "data"] {
        let world = World::new();
        world.lend();
        fs::write(world.copy(), RENEWED).unwrap();
        let closed = fs::Permissions::from_mode(0o0);
        fs::set_permissions(world.home.path(depth), closed).unwrap();
        world.check(RENEWED);
    }
    let world = World::new();
    world.lend();
    fs::remove_file(world.copy()).unwrap();
    fs::create_dir_all(world.copy().join("deep/deeper")).unwrap();
    fs::set_permissions(world.copy().join("deep"), fs::Permissions::from_mode(0o0)).unwrap();
    world.check(BEFORE);
}

#[test]
fn r113_a_private_folder_goes_whatever_is_closed_in_it() {
    let world = World::new();
    world.lend();
    fs::create_dir_all(world.home.path("cache/deep")).unwrap();
    fs::write(world.home.path("cache/deep/file"), "x").unwrap();
    for name in ["cache/deep", "cache", ""] {
        fs::set_permissions(world.home.path(name), fs::Permissions::from_mode(0o0)).unwrap();
    }
    world.home.discard().unwrap();
    assert!(!world.home.folder().exists());
    assert_eq!(fs::read_to_string(world.theirs()).unwrap(), BEFORE);
}

#[test]
fn r113_a_login_that_the_person_renewed_in_the_meantime_is_known_to_be_another() {
    let world = World::new();
    assert!(!world.lend().home.is_login_outdated().unwrap());
    fs::write(world.theirs(), RENEWED).unwrap();
    assert!(world.home.is_login_outdated().unwrap());
    assert!(!world.lend().home.is_login_outdated().unwrap());
}

#[test]
fn r113_an_agent_that_puts_a_file_or_a_link_in_place_of_its_folder_changes_nothing() {
    let world = World::new();
    let elsewhere = world.temp.path().join("elsewhere");
    fs::create_dir_all(elsewhere.join("data")).unwrap();
    fs::write(elsewhere.join("data/auth.json"), RENEWED).unwrap();
    for is_link in [false, true] {
        Home::create(world.home.folder()).unwrap();
        world.lend();
        fs::remove_dir_all(world.home.folder()).unwrap();
        if is_link {
            symlink(&elsewhere, world.home.folder()).unwrap();
        } else {
            fs::write(world.home.folder(), "").unwrap();
        }
        world.check(BEFORE);
    }
    assert!(elsewhere.join("data/auth.json").exists());
}
