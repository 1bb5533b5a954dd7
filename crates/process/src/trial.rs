//! Tries out what the system allows, in a child, so that the caller stays as it is.

use rustix::io::Errno;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Tries something that makes system calls on memory that exists already, takes no lock and allocates nothing. The child
/// never becomes another program: reaching the end is told by an error of its own.
#[expect(unsafe_code, reason = "code between fork and exec is unsafe by nature")]
pub(super) fn works_in_a_child(
    attempt: impl Fn() -> io::Result<()> + Send + Sync + 'static,
) -> bool {
    const WORKS: Errno = Errno::CANCELED;
    let mut command = Command::new("/proc/self/exe");
    // SAFETY: what `attempt` does is said above, and the callers keep to it.
    unsafe {
        command.pre_exec(move || {
            attempt()?;
            Err(WORKS.into())
        });
    }
    command.spawn().is_err_and(|error| error.raw_os_error() == Some(WORKS.raw_os_error()))
}
