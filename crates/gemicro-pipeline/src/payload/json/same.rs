//! Compares two values by what they say: the order of keys and the way a number is written do not matter.

use serde_json::{Number, Value};

/// Whether two values say the same.
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
    // Whole numbers are compared as such: a double does not tell all of them apart.
    let are_whole = !left.is_f64() && !right.is_f64();
    left == right || (!are_whole && left.as_f64() == right.as_f64())
}
