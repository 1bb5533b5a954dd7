//! The terminal view: sessions, agents and questions on one screen.
