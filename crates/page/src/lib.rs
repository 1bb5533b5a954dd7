//! The page: sessions, gates and changes in a browser, rendered here and served on this machine.
