//! What becomes of a program whose output nobody reads any more, as with `| head`.

use std::io::{Error, ErrorKind};

/// Has the process end without a word, and with success, when it prints to a pipe that is closed: a reader who has seen
/// enough is no error. `println!` panics then.
pub(crate) fn end_quietly() {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref::<String>().is_some_and(|message| says_unread(message)) {
            std::process::exit(0);
        }
        others(panic);
    }));
}

/// Whether it is what `print!` and `eprint!` say of a closed pipe.
fn says_unread(message: &str) -> bool {
    let code = message.strip_prefix("failed printing to std").and_then(|rest| rest.rsplit_once("(os error "));
    let code = code.and_then(|(_, code)| code.trim_end_matches(')').parse().ok());
    code.is_some_and(|code| Error::from_raw_os_error(code).kind() == ErrorKind::BrokenPipe)
}
