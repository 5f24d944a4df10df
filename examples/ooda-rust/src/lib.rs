//! Postage for parcels: a small library whose tests leave gaps, for `gemicro ooda`.

/// Where a parcel goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Inside the country.
    Domestic,
    /// Inside the union.
    Union,
    /// Anywhere else.
    World,
}

/// The price of a parcel in cents, or why it is not taken.
pub fn price(grams: u32, zone: Zone) -> Result<u32, String> {
    if grams == 0 {
        return Err("a parcel weighs something".to_owned());
    }
    if grams > 31_500 {
        return Err(format!("{grams} g is more than 31500 g"));
    }
    let base = match zone {
        Zone::Domestic => 399,
        Zone::Union => 899,
        Zone::World => 1_599,
    };
    Ok(base + surcharge(grams, zone))
}

/// What weight adds to the price, in cents.
fn surcharge(grams: u32, zone: Zone) -> u32 {
    let steps = grams / 1_000;
    if zone == Zone::World && steps > 10 {
        return steps * 250;
    }
    if steps > 5 {
        steps * 120
    } else {
        steps * 60
    }
}

/// Reads a weight such as `750 g` or `2 kg`, in grams.
pub fn parse_weight(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let (number, unit) = match text.split_once(' ') {
        Some(parts) => parts,
        None => return Err(format!("`{text}` has no unit")),
    };
    let number: u32 = number
        .parse()
        .map_err(|_| format!("`{number}` is no number"))?;
    match unit.trim() {
        "g" => Ok(number),
        "kg" => Ok(number * 1_000),
        other => Err(format!("`{other}` is no unit of weight")),
    }
}
