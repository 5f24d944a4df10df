//! SPDX licence expressions: `AND`, `OR`, `WITH`, brackets, and the old `/` for `OR`.

use anyhow::{Result, bail};

/// Whether an expression can be met with licences that `allows` accepts.
pub(crate) fn is_satisfied(expression: &str, allows: &dyn Fn(&str) -> bool) -> Result<bool> {
    let tokens = tokens(expression);
    let mut parser = Parser {
        tokens: &tokens,
        allows,
    };
    let satisfied = parser.either()?;
    match parser.tokens.first() {
        None => Ok(satisfied),
        Some(token) => bail!("unexpected `{token}` in `{expression}`"),
    }
}

struct Parser<'a> {
    tokens: &'a [String],
    allows: &'a dyn Fn(&str) -> bool,
}

impl Parser<'_> {
    fn either(&mut self) -> Result<bool> {
        let mut satisfied = self.both()?;
        while self.take("OR") {
            satisfied |= self.both()?;
        }
        Ok(satisfied)
    }

    /// `one (AND one)*`: binds tighter than `OR`.
    fn both(&mut self) -> Result<bool> {
        let mut satisfied = self.one()?;
        while self.take("AND") {
            satisfied &= self.one()?;
        }
        Ok(satisfied)
    }

    /// A bracket, or a licence with its exception.
    fn one(&mut self) -> Result<bool> {
        if self.take("(") {
            let satisfied = self.either()?;
            if !self.take(")") {
                bail!("a bracket is not closed");
            }
            return Ok(satisfied);
        }
        let mut licence = self.name()?;
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.name()?);
        }
        Ok((self.allows)(&licence))
    }

    fn name(&mut self) -> Result<String> {
        match self.tokens.split_first() {
            Some((name, rest)) if !["AND", "OR", "WITH", "(", ")"].contains(&name.as_str()) => {
                self.tokens = rest;
                Ok(name.clone())
            }
            Some((token, _)) => bail!("`{token}` instead of a licence"),
            None => bail!("the expression ends too early"),
        }
    }

    fn take(&mut self, expected: &str) -> bool {
        match self.tokens.split_first() {
            Some((token, rest)) if token == expected => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }
}

fn tokens(expression: &str) -> Vec<String> {
    expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ")
        .split_whitespace()
        .map(|token| match token.to_ascii_uppercase().as_str() {
            operator @ ("AND" | "OR" | "WITH") => operator.to_owned(),
            _ => token.to_owned(),
        })
        .collect()
}
