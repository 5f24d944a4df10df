//! A small program whose tests miss something: what coverage tools are held against.

mod shapes;

fn main() {
    let mut sum = 0;
    for side in 1..5 {
        sum += shapes::area(side, side);
    }
    sum += shapes::largest(1, 2) + i32::from(shapes::largest('a', 'b') == 'b');
    assert_eq!(shapes::name_of(4), "square");
    assert_eq!(sum, 33);
}
