//! Session files as users of another orchestrator have them.
