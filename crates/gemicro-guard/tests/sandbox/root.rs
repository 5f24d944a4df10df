//! What root owns and an agent must not have: devices of the machine, and files that only root reads.

use std::os::unix::fs::PermissionsExt;

use gemicro_guard::sandbox::Tier;

use super::world::{World, text, tiers};

/// The nodes are those of the machine. The mode that they have is set once more, so nothing is changed if it works.
#[test]
fn devices_stay_as_they_are() {
    let script = r#"for d in null zero full random urandom tty; do
            chmod $(stat -c %a /dev/$d) /dev/$d 2> /dev/null && echo "chmod $d"
            touch -r /dev/$d /dev/$d 2> /dev/null && echo "touch $d"; chown $(id -u) /dev/$d 2> /dev/null && echo "chown $d"
        done
        echo x > /dev/null && head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo x 2> /dev/null > /dev/full || echo full"#;
    for tier in tiers().into_iter().filter(|tier| *tier == Tier::Full) {
        let output = World::new().run(tier, script);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "3\n3\nfull\n",
            "{tier}: {}",
            text(&output)
        );
    }
}

#[test]
fn what_only_root_reads_is_hidden() {
    let is_secret = |path: &std::path::Path| {
        let about = path.symlink_metadata().unwrap();
        about.is_file() && about.len() > 0 && about.permissions().mode() & 0o004 == 0
    };
    let mut secrets: Vec<_> = ["/etc", "/etc/ssh"]
        .into_iter()
        .flat_map(std::fs::read_dir)
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_secret(path))
        .collect();
    secrets.sort();
    for tier in tiers() {
        let world = World::new();
        for secret in &secrets {
            let output = world.run(tier, &format!("cat '{}'", secret.display()));
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                "",
                "{tier}: {}",
                secret.display()
            );
        }
        let output = world.run(tier, "cat /etc/shadow; ls /etc | grep -x passwd; head -c 4 /etc/passwd; id -un > /dev/null && echo; ls /etc/ssl | head -c 0");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "passwd\nroot\n",
            "{tier}: {}",
            text(&output)
        );
    }
}
