//! What goes wrong between an agent and its model.
