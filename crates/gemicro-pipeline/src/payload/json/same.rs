//! Compares two JSON values, ignoring the order of keys and the notation of numbers.

use serde_json::{Number, Value};

/// Returns true if two values are equal.
pub(in crate::payload) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        _ => left == right,
    }
}

fn same_number(left: &Number, right: &Number) -> bool {
    // Integers are compared exactly: a double cannot represent all of them.
    let are_whole = !left.is_f64() && !right.is_f64();
    left == right || (!are_whole && left.as_f64() == right.as_f64())
}
