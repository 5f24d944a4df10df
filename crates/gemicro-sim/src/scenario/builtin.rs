//! The built-in scenarios: the default one and the scripted models used in tests.

/// Name and text of each scenario.
pub const BUILTIN: &[(&str, &str)] = &[
    ("default", include_str!("builtin/default.yaml")),
    ("research", include_str!("../../../../scenarios/research.yaml")),
    ("perfect", include_str!("builtin/perfect.yaml")),
    ("liar", include_str!("builtin/liar.yaml")),
    ("lossy", include_str!("builtin/lossy.yaml")),
    ("bloater", include_str!("builtin/bloater.yaml")),
    ("echo", include_str!("builtin/echo.yaml")),
    ("hanger", include_str!("builtin/hanger.yaml")),
    ("garbage", include_str!("builtin/garbage.yaml")),
    ("flaky", include_str!("builtin/flaky.yaml")),
    ("spender", include_str!("builtin/spender.yaml")),
];
