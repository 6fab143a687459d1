//! brv against a small real model.
