//! Where the repository is found by others.

use super::Repository;

impl Repository {
    /// The address of the remote `origin` as it may be told: nobody's login is in it. None where it is on no server.
    pub fn origin(&self) -> Option<String> {
        let address = self.read(["remote", "get-url", "origin"]).run().ok()?.line();
        public_address(&address)
    }
}

/// `scheme://host/path`, without what people put before the `@`.
fn public_address(address: &str) -> Option<String> {
    let (scheme, (authority, path)) = match address.split_once("://") {
        Some((scheme @ ("https" | "http" | "ssh" | "git"), rest)) => {
            (scheme, rest.split_once('/')?)
        }
        Some(_) => return None,
        None => ("ssh", address.split_once(':')?),
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let path = path.trim_start_matches('/').split(['?', '#']).next()?;
    let is_plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic());
    let is_fit = is_plain(host) && !host.contains('/') && is_plain(path);
    is_fit.then(|| format!("{scheme}://{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::public_address;

    #[test]
    fn r194_an_address_is_told_without_a_login_and_only_where_it_is_on_a_server() {
        for (address, told) in [
            (
                "https://me:secret@git.example.com:8443/a/b.git",
                "https://git.example.com:8443/a/b.git",
            ),
            ("https://git.example.com/a/b?token=secret", "https://git.example.com/a/b"),
            ("git@git.example.com:a/b.git", "ssh://git.example.com/a/b.git"),
            ("ssh://git@git.example.com/a/b", "ssh://git.example.com/a/b"),
        ] {
            assert_eq!(public_address(address).as_deref(), Some(told));
        }
        for address in
            ["/srv/git/a.git", "../a", "file:///srv/a", "https://", "./a:b", "c:", "a b:c"]
        {
            assert_eq!(public_address(address), None, "{address}");
        }
    }
}
