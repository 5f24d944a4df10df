//! Mutants: what is offered, what is left alone, and whether compilers take it.

mod compiled;

use gemicro_batch::mutants::{Mutant, Syntax, mutants};
use proptest::prelude::*;

const ALL: &[(u32, u32)] = &[(1, u32::MAX)];

/// What the mutants of the body of a function say, sorted by place.
fn offered(syntax: Syntax, body: &str) -> Vec<String> {
    let source = match syntax {
        Syntax::Rust => format!("fn f() {{ {body} }}"),
        Syntax::C => format!("int f() {{ {body} }}"),
    };
    let mut found = mutants(syntax, &source, ALL);
    found.sort_by_key(|mutant| mutant.column);
    found.into_iter().map(|mutant| mutant.what).collect()
}

#[test]
fn what_rust_offers() {
    for (body, expected) in [
        ("let x = a < b;", vec!["`<` became `>=`"]),
        ("let x = a > b;", vec!["`>` became `<=`"]),
        (
            "let x = a <= b == c;",
            vec!["`<=` became `>`", "`==` became `!=`"],
        ),
        ("let x = a >= b;", vec!["`>=` became `<`"]),
        ("let x = a != b;", vec!["`!=` became `==`"]),
        ("let x = a && b;", vec!["`&&` became `||`"]),
        ("let x = a || b;", vec!["`||` became `&&`"]),
        (
            "let x = a + b - c * d;",
            vec!["`+` became `-`", "`-` became `+`", "`*` became `+`"],
        ),
        ("let x = true;", vec!["`true` became `false`"]),
        ("if a { b }", vec!["`a` became `!(a)`"]),
        ("return 7;", vec!["`7` became `8`"]),
        ("7", vec!["`7` became `8`"]),
        ("\"a\"", vec!["`\"a\"` became `\"a~\"`"]),
        ("x == \"a\"", vec!["`==` became `!=`", "`\"a\"` became `\"a~\"`"]),
        ("self.log.push(x);", vec!["`self.log.push(x);` was removed"]),
        ("a::b(c)?;", vec!["`a::b(c)?;` was removed"]),
        (
            "if a { return; } b",
            vec!["`a` became `!(a)`", "`return;` was removed"],
        ),
        (
            "match x { A => 3, B => 4, }",
            vec!["`3` became `4`", "`4` became `5`"],
        ),
    ] {
        assert_eq!(offered(Syntax::Rust, body), expected, "{body}");
    }
}

#[test]
fn what_rust_keeps() {
    for body in [
        "// a < b",
        "/* a < b /* c */ a == b */",
        "let s = \"a < b\";",
        "let s = r#\"a == \"b\" && c\"#;",
        "let c = '<';",
        "let x: Vec<u8> = y;",
        "let f = || x;",
        "let f = move || x;",
        "let r = &&x;",
        "let x = *y;",
        "let x = -y;",
        "let x: Box<dyn A + B> = y;",
        "let [a, 3] = x else { panic!() };",
        "if let Some(3) = x {}",
        "match x { 3 => a, Some(true) | None => b, (4, _) => d, }",
        "let x = y.0;",
        "let x: [u8; 4] = y;",
        "let x = [y; 4];",
        "let x = y[4];",
        "let x = y << 3;",
        "let x = 0x10;",
        "let x = 1.5;",
        "let x = 3u8;",
        "let x = 255;",
        "const N: usize = 4;",
        "static N: usize = 4;",
        "let x = s + \"a\";",
        "let x = s + &t;",
        "let x = f::<3>;",
        "let x = matches!(y, Some(3));",
        "println!(\"{}\", x);",
        "x = f(y);",
        "let x = f(y);",
        "return b\"a\";",
        "#[cfg(all(a, b))] let x = y;",
        "fn g<T: A + B>(x: [u8; 3]) where T: C + D {}",
        "'a: loop {}",
        "use a::b;",
        "for x in y {}",
        "struct S<const N: usize = 3>;",
        "macro_rules! m { () => { a < b } }",
    ] {
        assert_eq!(offered(Syntax::Rust, body), Vec::<String>::new(), "{body}");
    }
    let declarations = "#[cfg(a)]\nconst A: u8 = 1 + 2;\nstruct S { a: [u8; 3] }\nimpl A for B where T: C + D {}\nenum E { A = 3 }\n";
    assert_eq!(mutants(Syntax::Rust, declarations, ALL), []);
}

#[test]
fn what_c_offers() {
    for (body, expected) in [
        ("x = a < b;", vec!["`<` became `>=`"]),
        ("x = a==b;", vec!["`==` became `!=`"]),
        ("x = a && b;", vec!["`&&` became `||`"]),
        ("if (a) b();", vec!["`a` became `!(a)`", "`b();` was removed"]),
        ("return a * b;", vec!["`*` became `+`"]),
        ("return 0;", vec!["`0` became `1`"]),
        ("return \"a\";", vec!["`\"a\"` became `\"a~\"`"]),
        ("a->b(c);", vec!["`a->b(c);` was removed"]),
        (
            "if (a) { return b; } c = d;",
            vec!["`a` became `!(a)`", "`return b;` was removed"],
        ),
        ("x = false;", vec!["`false` became `true`"]),
    ] {
        assert_eq!(offered(Syntax::C, body), expected, "{body}");
    }
}

#[test]
fn what_c_keeps() {
    for body in [
        "// a < b",
        "/* a < b */",
        "s = \"a < b\";",
        "s = R\"x(a == b)x\";",
        "c = '<';",
        "a << b;",
        "s << 3;",
        "T * p = q;",
        "T & p = q;",
        "auto && p = q;",
        "std::vector<int> v;",
        "int a[10];",
        "case 3: b;",
        "static_assert(1 < 2, \"\");",
        "const int n = 3;",
        "Foo bar(x);",
        "std::lock_guard<M> l(m);",
        "x = y<3>;",
        "s = \"a\" + t;",
        "x = f(y);",
        "if constexpr (a) {}",
        "if (auto p = q) {}",
        "x = sizeof(a < b);",
        "x = 1'000;",
        "x = 0x1F;",
        "x = 017;",
    ] {
        assert_eq!(offered(Syntax::C, body), Vec::<String>::new(), "{body}");
    }
    let declarations = "#include <a>\n#if A < 3 && B\n#define X(a) \\\n  (a == 3)\n#endif\ntemplate < typename T >\nstruct S { int a = 3; \
                        bool operator<(const S& b) const; int c : 3; };\nenum E { A = 3 };\nint f(int a = 3, T && b);\n";
    assert_eq!(mutants(Syntax::C, declarations, ALL), []);
}

#[test]
fn the_first_ones_are_spread_over_the_lines() {
    let source = "fn f() -> bool {\n    let x = a + 1 < b && c;\n    let y = 1;\n    g();\n    x == y\n}\n";
    let found: Vec<(u32, u32, String)> = mutants(Syntax::Rust, source, ALL)
        .into_iter()
        .map(
            |Mutant {
                 line, column, what, ..
             }| (line, column, what),
        )
        .collect();
    let expected = [
        (2, 19, "`<` became `>=`"),
        (5, 7, "`==` became `!=`"),
        (3, 13, "`1` became `2`"),
        (4, 5, "`g();` was removed"),
        (2, 23, "`&&` became `||`"),
        (2, 17, "`1` became `2`"),
        (2, 15, "`+` became `-`"),
    ];
    assert_eq!(
        found,
        expected.map(|(line, column, what)| (line, column, what.to_owned()))
    );
}

#[test]
fn only_the_lines_that_are_asked_for() {
    let source =
        "fn f() {\n    let x = a < b;\n    if a\n        == b\n    {\n    }\n    let y = a < b;\n}\n";
    let lines = |ranges: &[(u32, u32)]| -> Vec<u32> {
        let mut lines: Vec<u32> = mutants(Syntax::Rust, source, ranges)
            .iter()
            .map(|mutant| mutant.line)
            .collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(lines(&[(1, 2)]), [2]);
    // The condition goes over two lines, one of which is not asked for.
    assert_eq!(lines(&[(3, 3), (7, 7)]), [7]);
    assert_eq!(lines(&[(4, 4), (3, 4), (9, 1)]), [3, 4]);
    assert_eq!(lines(&[(8, 4), (0, 0)]), Vec::<u32>::new());
    assert_eq!(lines(&[]), Vec::<u32>::new());
}

#[test]
fn odd_sources_of_some_size_are_no_labour() {
    for piece in [
        "a < b && ",
        "let ",
        "(",
        "if a ",
        "x == 1, ",
        "g();",
        "'",
        "{ return 1; }",
        "match x { 1 => ",
    ] {
        let text = format!("fn f() {{ {}", piece.repeat(20_000 / piece.len()));
        for syntax in [Syntax::Rust, Syntax::C] {
            assert!(mutants(syntax, &text, ALL).len() <= 1_000, "{piece}");
        }
    }
}

/// Pieces of which sources consist.
fn source() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "fn f() {\n",
        "int f() {\n",
        "}\n",
        "a < b",
        " == ",
        "1",
        "true",
        "if ",
        "(",
        ")",
        "[",
        "]",
        ";\n",
        "return ",
        "\"x\"",
        "\"",
        "'",
        "'a",
        "r#\"",
        "R\"(",
        "/*",
        "*/",
        "// c\n",
        "#",
        "\\\n",
        "ü",
        "match x {",
        "=>",
        ",",
        " && ",
        "let ",
        "g();\n",
        ".",
        "1.",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Each mutant differs from the source in one place, which lies within the lines.
fn check(syntax: Syntax, source: &str, range: (u32, u32)) {
    let found = mutants(syntax, source, &[range]);
    assert_eq!(found, mutants(syntax, source, &[range]));
    for mutant in found {
        let text = mutant.apply(source);
        assert_ne!(text, source, "{mutant:?}");
        let (old, new): (Vec<&str>, Vec<&str>) = (source.split('\n').collect(), text.split('\n').collect());
        assert_eq!(old.len(), new.len(), "{mutant:?}");
        let number = |idx: usize| u32::try_from(idx + 1).unwrap();
        let differing: Vec<u32> = (0..old.len())
            .filter(|idx| old[*idx] != new[*idx])
            .map(number)
            .collect();
        assert!(
            differing.iter().all(|line| (range.0..=range.1).contains(line)),
            "{mutant:?}"
        );
        assert!(differing.contains(&mutant.line), "{mutant:?}");
        let n_before = usize::try_from(mutant.column - 1).unwrap();
        let line = usize::try_from(mutant.line - 1).unwrap();
        let before = |text: &str| text.chars().take(n_before).collect::<String>();
        assert_eq!(before(old[line]), before(new[line]), "{mutant:?}");
    }
}

proptest! {
    #[test]
    fn one_place_of_any_source(source in source(), first in 0..8_u32, n_lines in 0..8_u32) {
        for syntax in [Syntax::Rust, Syntax::C] {
            check(syntax, &source, (first, first + n_lines));
        }
    }

    #[test]
    fn any_text_has_mutants_or_none(source in any::<String>()) {
        for syntax in [Syntax::Rust, Syntax::C] {
            check(syntax, &source, (1, u32::MAX));
        }
    }
}
