use postage::{Zone, parse_weight, price};

#[test]
fn a_light_parcel_inside_the_country() {
    assert_eq!(price(500, Zone::Domestic), Ok(399));
}

#[test]
fn grams_are_read() {
    assert_eq!(parse_weight("750 g"), Ok(750));
}
