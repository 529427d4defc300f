//! Documents against the contract: what compiles, to which hash, and what is refused.
