//! Expressions, by precedence climbing.

use crate::lexer::{Lexer, Token};

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Number(f64),
    Name(String),
    Binary(Box<Expr>, Op, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
}

impl Op {
    fn binding(self) -> u8 {
        match self {
            Self::Add | Self::Sub => 1,
            Self::Mul | Self::Div => 2,
        }
    }
}

pub struct Parser<'s> {
    lexer: Lexer<'s>,
    next: Option<Token>,
}

impl<'s> Parser<'s> {
    pub fn new(source: &'s str) -> Self {
        let mut lexer = Lexer::new(source);
        let next = lexer.next();
        Self { lexer, next }
    }

    pub fn expr(&mut self, least: u8) -> Result<Expr, String> {
        let mut left = self.primary()?;
        while let Some(op) = self.op().filter(|op| op.binding() >= least) {
            self.bump();
            let right = self.expr(op.binding() + 1)?;
            left = Expr::Binary(Box::new(left), op, Box::new(right));
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<Expr, String> {
        let mut expr = match self.bump() {
            Some(Token::Number(value)) => Expr::Number(value),
            Some(Token::Name(name)) => Expr::Name(name),
            Some(Token::LeftParen) => {
                let inner = self.expr(0)?;
                self.expect(&Token::RightParen)?;
                inner
            }
            other => return Err(format!("unexpected {other:?}")),
        };
        while self.next == Some(Token::LeftParen) {
            self.bump();
            expr = Expr::Call(Box::new(expr), self.arguments()?);
        }
        Ok(expr)
    }

    fn bump(&mut self) -> Option<Token> {
        std::mem::replace(&mut self.next, self.lexer.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_bind_tighter() {
        let expr = Parser::new("1 + 2 * 3").expr(0).unwrap();
        assert!(matches!(expr, Expr::Binary(_, Op::Add, _)));
    }
}
