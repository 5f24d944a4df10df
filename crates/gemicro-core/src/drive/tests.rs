//! Tests of the driver.
