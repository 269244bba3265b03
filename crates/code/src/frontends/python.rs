//! Python, by `ruff_python_parser`: a parser by hand that goes on behind errors.

use ruff_python_ast::{
    self as ast, BoolOp, CmpOp, Expr, FStringPart, InterpolatedStringElement, Number, Operator, Pattern,
    Stmt, UnaryOp,
};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

use super::{DEPTH, Frontend, name, scan, unread};
use crate::tree::{
    Binary, Builder, Case, Class, Clause, Comparison, Comprehension, Dialect, Function, Handler, Head,
    Implicit, Import, Kind, List, Loop, Match, Name, NodeId, Param, Range, Receiver, Rest, Tree, Try, With,
};

/// What Python calls what all languages have.
pub static DIALECT: Dialect = Dialect {
    constructor: "__init__",
    invoked: "__call__",
    entered: ["__enter__", "__exit__"],
    missing: "__getattr__",
    item: "__getitem__",
    iterated: "__iter__",
    shown: "__str__",
    made: "__init_subclass__",
    filled: "__post_init__",
    operators: &[
        (Binary::Add, ["__add__", "__radd__", "__iadd__"]),
        (Binary::Subtract, ["__sub__", "__rsub__", "__isub__"]),
        (Binary::Multiply, ["__mul__", "__rmul__", "__imul__"]),
        (Binary::Divide, ["__truediv__", "__rtruediv__", "__itruediv__"]),
        (Binary::DivideWhole, ["__floordiv__", "__rfloordiv__", "__ifloordiv__"]),
        (Binary::Modulo, ["__mod__", "__rmod__", "__imod__"]),
        (Binary::Or, ["__or__", "__ror__", "__ior__"]),
        (Binary::And, ["__and__", "__rand__", "__iand__"]),
        (Binary::Xor, ["__xor__", "__rxor__", "__ixor__"]),
        (Binary::Left, ["__lshift__", "__rlshift__", "__ilshift__"]),
        (Binary::Right, ["__rshift__", "__rrshift__", "__irshift__"]),
        (Binary::Other, ["__matmul__", "__rmatmul__", "__imatmul__"]),
        (Binary::Other, ["__pow__", "__rpow__", "__ipow__"]),
    ],
    comparisons: &[
        (Comparison::Equal, &["__eq__"]),
        (Comparison::Unequal, &["__ne__"]),
        (Comparison::In, &["__contains__"]),
        (Comparison::NotIn, &["__contains__"]),
        (Comparison::Other, &["__lt__", "__gt__", "__le__", "__ge__"]),
    ],
    implicit: Implicit {
        allocates: "__new__",
        sets_item: "__setitem__",
        removes_item: "__delitem__",
        missing_item: "__missing__",
        class_item: "__class_getitem__",
        reads_part: "__getattribute__",
        sets_part: "__setattr__",
        describes: ["__get__", "__set__"],
        ends: "__del__",
        truth: ["__bool__", "__len__"],
        parts: "__dict__",
        owners: ["__self__", ".__globals__"],
        key: "__hash__",
        asked: &[
            "__str__",
            "__repr__",
            "__format__",
            "__len__",
            "__bool__",
            "__hash__",
            "__int__",
            "__float__",
            "__index__",
            "__bytes__",
            "__fspath__",
            "__iter__",
            "__next__",
            "__reversed__",
            "__reduce__",
            "__getstate__",
            "__copy__",
        ],
        maker: "metaclass",
        setter: "setter",
    },
    nothing: ["None", "True", "False"],
    class_bound: "classmethod",
    slices: true,
    joins_paths: true,
    fills: true,
    adds_texts: false,
    main: "__main__",
    unbound: &["staticmethod"],
    properties: &["property", "functools.cached_property"],
};

static STYLE: scan::Style = scan::Style { line_comment: "#", comment: None, python: true, javascript: false };

/// Reads Python 3, and of Python 2 its statements `print` and `exec`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Python;

impl Frontend for Python {
    fn parse(&self, text: &str) -> Tree {
        // The parser's places have 32 bits.
        if u32::try_from(text.len()).is_err() {
            return unread(&DIALECT, "");
        }
        let (kept, cut) = scan::cut(text, &STYLE);
        let parsed = parse_unchecked(&kept, ParseOptions::from(Mode::Module));
        let mut lower = Lower {
            builder: Builder::new(&DIALECT),
            text: &kept,
            scopes: vec![Scope::default()],
            depth: 0,
            deep: false,
        };
        let faults: Vec<Range> = parsed.errors().iter().map(|error| range_of(error.range(), &kept)).collect();
        let syntax = parsed.into_syntax();
        let body = match &syntax {
            ast::Mod::Module(module) => &module.body[..],
            ast::Mod::Expression(_) => &[],
        };
        let mut statements = lower.statements(body);
        // Whatever could not be read stands behind what could: it says nothing about order.
        statements.extend(faults.into_iter().map(|fault| lower.builder.unknown(&[], fault)));
        statements.extend(cut.into_iter().map(|fault| lower.builder.deep(fault)));
        let root = lower.builder.block(&statements, whole(text));
        let locals = lower.scopes.pop().map(|scope| scope.locals).unwrap_or_default();
        if lower.deep {
            // What is that deep would take as much of the stack to be given back as it took to be made.
            std::mem::forget(syntax);
        }
        lower.builder.finish(root, locals)
    }
}

/// The names that belong to a function, or to the module.
#[derive(Debug, Default)]
struct Scope {
    locals: Vec<Name>,
    outer: Vec<Name>,
    yields: bool,
    /// Something leaves the loop being read, or waits in it.
    leaves: bool,
}

struct Lower<'t> {
    builder: Builder,
    text: &'t str,
    scopes: Vec<Scope>,
    depth: u32,
    deep: bool,
}

fn whole(text: &str) -> Range {
    Range { start: 0, end: u32::try_from(text.len()).unwrap_or(u32::MAX) }
}

fn range_of(range: TextRange, text: &str) -> Range {
    let end = whole(text).end;
    Range { start: range.start().to_u32().min(end), end: range.end().to_u32().min(end) }
}

impl Lower<'_> {
    fn range(&self, node: &impl Ranged) -> Range {
        range_of(node.range(), self.text)
    }

    /// Goes one level down, or says that it is too deep.
    fn enter(&mut self) -> bool {
        self.depth += 1;
        self.deep |= self.depth > DEPTH;
        self.depth <= DEPTH
    }

    /// A name that the present scope sets.
    fn sets(&mut self, name: Name) {
        if let Some(scope) = self.scopes.last_mut()
            && !scope.locals.contains(&name)
            && !scope.outer.contains(&name)
        {
            scope.locals.push(name);
        }
    }

    fn named(&mut self, text: &str) -> Name {
        let name = self.builder.name(text);
        self.sets(name);
        name
    }

    fn block(&mut self, body: &[Stmt], range: Range) -> NodeId {
        let statements = self.statements(body);
        self.builder.block(&statements, range)
    }

    fn block_of(&mut self, body: &[Stmt]) -> NodeId {
        let range = match (body.first(), body.last()) {
            (Some(first), Some(last)) => Range { start: self.range(first).start, end: self.range(last).end },
            _ => Range::default(),
        };
        self.block(body, range)
    }

    fn maybe_block(&mut self, body: &[Stmt]) -> Option<NodeId> {
        (!body.is_empty()).then(|| self.block_of(body))
    }

    fn statements(&mut self, body: &[Stmt]) -> Vec<NodeId> {
        let mut statements = Vec::with_capacity(body.len());
        let mut rest = body.iter();
        while let Some(statement) = rest.next() {
            if let Some(next) = rest.as_slice().first()
                && let Some(call) = self.statement_of_two(statement, next)
            {
                statements.push(call);
                rest.next();
                continue;
            }
            statements.push(self.statement(statement));
        }
        statements
    }

    /// `print "text"` and `exec "code"` of Python 2, which are two statements here.
    fn statement_of_two(&mut self, first: &Stmt, next: &Stmt) -> Option<NodeId> {
        let (Stmt::Expr(first), Stmt::Expr(next)) = (first, next) else { return None };
        let Expr::Name(callee) = &*first.value else { return None };
        let between = self.text.get(first.range.end().to_usize()..next.range.start().to_usize())?;
        let blank = !between.is_empty() && between.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
        if !blank || !matches!(callee.id.as_str(), "print" | "exec") {
            return None;
        }
        let range = Range { start: self.range(first).start, end: self.range(next).end };
        let callee = self.expr(&first.value);
        let arg = self.expr(&next.value);
        let args = self.builder.list(&[arg]);
        Some(self.builder.add(Kind::Call { callee, args, makes: false }, range))
    }

    fn statement(&mut self, statement: &Stmt) -> NodeId {
        let range = self.range(statement);
        if !self.enter() {
            self.depth -= 1;
            return self.builder.deep(range);
        }
        let node = self.any_statement(statement, range);
        self.depth -= 1;
        node
    }

    fn any_statement(&mut self, statement: &Stmt, range: Range) -> NodeId {
        match statement {
            Stmt::FunctionDef(function) => self.function(function, range),
            Stmt::ClassDef(class) => self.class(class, range),
            Stmt::For(each) => self.each(each, range),
            Stmt::While(repeat) => self.repeat(repeat, range),
            Stmt::If(conditional) => self.conditional(conditional, range),
            Stmt::With(with) => self.with(with, range),
            Stmt::Match(matching) => self.matching(matching, range),
            Stmt::Try(attempt) => self.attempt(attempt, range),
            Stmt::Import(import) => self.import(import, range),
            Stmt::ImportFrom(import) => self.import_from(import, range),
            Stmt::Global(ast::StmtGlobal { names, .. }) | Stmt::Nonlocal(ast::StmtNonlocal { names, .. }) => {
                self.outside(names);
                self.builder.block(&[], range)
            }
            _ => self.simple(statement, range),
        }
    }

    /// Statements that hold no others.
    fn simple(&mut self, statement: &Stmt, range: Range) -> NodeId {
        let kind = match statement {
            Stmt::Expr(expression) => return self.expr(&expression.value),
            Stmt::Assign(assign) => return self.assign(assign, range),
            Stmt::AugAssign(change) => {
                let target = self.target(&change.target);
                let value = self.expr(&change.value);
                Kind::Augment { target, op: operator(change.op), value }
            }
            Stmt::AnnAssign(assign) => {
                let target = self.target(&assign.target);
                match &assign.value {
                    Some(value) => Kind::Assign { target, value: self.expr(value) },
                    None => Kind::Block(List::default()),
                }
            }
            Stmt::Return(back) => Kind::Return(back.value.as_ref().map(|value| self.expr(value))),
            Stmt::Delete(delete) => {
                let targets: Vec<NodeId> = delete.targets.iter().map(|target| self.target(target)).collect();
                Kind::Remove(self.builder.list(&targets))
            }
            Stmt::Raise(raise) => {
                self.leaves();
                let values: Vec<NodeId> =
                    raise.exc.iter().chain(&raise.cause).map(|value| self.expr(value)).collect();
                Kind::Raise(self.builder.list(&values))
            }
            Stmt::Assert(assert) => {
                let test = self.expr(&assert.test);
                Kind::Assert { test, message: assert.msg.as_ref().map(|message| self.expr(message)) }
            }
            Stmt::Break(_) => {
                self.leaves();
                Kind::Break
            }
            Stmt::Continue(_) => Kind::Continue,
            Stmt::IpyEscapeCommand(_) => return self.builder.unknown(&[], range),
            _ => Kind::Block(List::default()),
        };
        if matches!(kind, Kind::Return(_)) {
            self.leaves();
        }
        self.builder.add(kind, range)
    }

    /// Something leaves the loop around it, or lets others run meanwhile.
    fn leaves(&mut self) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.leaves = true;
        }
    }

    fn outside(&mut self, names: &[ast::Identifier]) {
        for name in names {
            let name = self.builder.name(name.as_str());
            if let Some(scope) = self.scopes.last_mut() {
                scope.outer.push(name);
                scope.locals.retain(|local| *local != name);
            }
        }
    }

    fn assign(&mut self, assign: &ast::StmtAssign, range: Range) -> NodeId {
        let mut value = self.expr(&assign.value);
        for target in &assign.targets {
            let target = self.target(target);
            value = self.builder.add(Kind::Assign { target, value }, range);
        }
        value
    }

    fn function(&mut self, function: &ast::StmtFunctionDef, range: Range) -> NodeId {
        let decorators: Vec<NodeId> =
            function.decorator_list.iter().map(|one| self.expr(&one.expression)).collect();
        let decorators = self.builder.list(&decorators);
        let own = self.named(function.name.as_str());
        self.scopes.push(Scope::default());
        let params = self.params(&function.parameters);
        let body = self.block_of(&function.body);
        let scope = self.scopes.pop().unwrap_or_default();
        let function = Function {
            name: Some(own),
            params,
            body,
            short: false,
            decorators,
            locals: scope.locals,
            yields: scope.yields,
            receiver: Receiver::First,
        };
        self.builder.function(function, range)
    }

    fn params(&mut self, params: &ast::Parameters) -> Vec<Param> {
        let mut all = Vec::new();
        for param in params.posonlyargs.iter().chain(&params.args) {
            let param = self.param(&param.parameter, param.default.as_deref(), Rest::One);
            all.push(param);
        }
        if let Some(rest) = &params.vararg {
            let param = self.param(rest, None, Rest::Items);
            all.push(param);
        }
        for param in &params.kwonlyargs {
            let param = self.param(&param.parameter, param.default.as_deref(), Rest::One);
            all.push(param);
        }
        if let Some(rest) = &params.kwarg {
            let param = self.param(rest, None, Rest::Named);
            all.push(param);
        }
        all
    }

    fn param(&mut self, param: &ast::Parameter, default: Option<&Expr>, rest: Rest) -> Param {
        // A default is worked out where the function stands, and knows none of its names.
        let inner = self.scopes.pop();
        let default = default.map(|default| self.expr(default));
        self.scopes.extend(inner);
        let name = self.named(param.name.as_str());
        let range = self.range(param);
        Param { target: self.builder.add(Kind::Name(name), range), default, rest, promoted: false }
    }

    fn class(&mut self, class: &ast::StmtClassDef, range: Range) -> NodeId {
        let decorators: Vec<NodeId> =
            class.decorator_list.iter().map(|one| self.expr(&one.expression)).collect();
        let decorators = self.builder.list(&decorators);
        let bases = match &class.arguments {
            Some(arguments) => self.arguments(arguments),
            None => List::default(),
        };
        let own = self.named(class.name.as_str());
        self.scopes.push(Scope::default());
        let body = self.block_of(&class.body);
        self.scopes.pop();
        let annotated = class.body.iter().filter_map(|statement| match statement {
            Stmt::AnnAssign(assign) => assign.target.as_name_expr(),
            _ => None,
        });
        let fields = annotated.map(|name| name.id.as_str()).collect::<Vec<_>>();
        let fields = fields.into_iter().map(|field| self.builder.name(field)).collect();
        self.builder.class(Class { name: Some(own), bases, decorators, body, fields }, range)
    }

    /// The body of a loop, and whether something in it leaves the loop or waits.
    fn round(&mut self, body: &[Stmt]) -> (NodeId, bool) {
        let before = self.scopes.last_mut().is_some_and(|scope| std::mem::take(&mut scope.leaves));
        let body = self.block_of(body);
        let leaves = self.scopes.last().is_some_and(|scope| scope.leaves);
        if let Some(scope) = self.scopes.last_mut() {
            scope.leaves = before;
        }
        (body, leaves)
    }

    fn each(&mut self, each: &ast::StmtFor, range: Range) -> NodeId {
        let of = self.expr(&each.iter);
        let target = self.target(&each.target);
        let (body, leaves) = self.round(&each.body);
        let otherwise = self.maybe_block(&each.orelse);
        self.builder
            .add_loop(Loop { head: Head::Each { target, of }, body, step: None, otherwise, leaves }, range)
    }

    fn repeat(&mut self, repeat: &ast::StmtWhile, range: Range) -> NodeId {
        let test = self.expr(&repeat.test);
        let (body, leaves) = self.round(&repeat.body);
        let otherwise = self.maybe_block(&repeat.orelse);
        self.builder
            .add_loop(Loop { head: Head::While(Some(test)), body, step: None, otherwise, leaves }, range)
    }

    /// `if` with its `elif` and `else`, from the last to the first.
    fn conditional(&mut self, conditional: &ast::StmtIf, range: Range) -> NodeId {
        let test = self.expr(&conditional.test);
        let then = self.block_of(&conditional.body);
        let mut arms = Vec::new();
        for clause in &conditional.elif_else_clauses {
            let clause_range = self.range(clause);
            let test = clause.test.as_ref().map(|test| self.expr(test));
            arms.push((test, self.block_of(&clause.body), clause_range));
        }
        let mut otherwise = None;
        for (test, body, clause_range) in arms.into_iter().rev() {
            otherwise = Some(match test {
                Some(test) => self.builder.add(Kind::If { test, then: body, otherwise }, clause_range),
                None => body,
            });
        }
        self.builder.add(Kind::If { test, then, otherwise }, range)
    }

    fn with(&mut self, with: &ast::StmtWith, range: Range) -> NodeId {
        let mut items = Vec::new();
        for item in &with.items {
            let value = self.expr(&item.context_expr);
            items.push((value, item.optional_vars.as_ref().map(|target| self.target(target))));
        }
        let body = self.block_of(&with.body);
        self.builder.add_with(With { items, body }, range)
    }

    fn attempt(&mut self, attempt: &ast::StmtTry, range: Range) -> NodeId {
        let body = self.block_of(&attempt.body);
        let mut handlers = Vec::new();
        for ast::ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
            let kind = handler.type_.as_ref().map(|kind| self.expr(kind));
            let target = handler.name.as_ref().map(|name| {
                let own = self.named(name.as_str());
                let range = self.range(name);
                self.builder.add(Kind::Name(own), range)
            });
            handlers.push(Handler { kind, target, body: self.block_of(&handler.body) });
        }
        let otherwise = self.maybe_block(&attempt.orelse);
        let finally = self.maybe_block(&attempt.finalbody);
        self.builder.add_try(Try { body, handlers, otherwise, finally }, range)
    }

    fn matching(&mut self, matching: &ast::StmtMatch, range: Range) -> NodeId {
        let subject = self.expr(&matching.subject);
        let mut cases = Vec::new();
        for case in &matching.cases {
            let pattern = Some(self.pattern(&case.pattern));
            let guard = case.guard.as_ref().map(|guard| self.expr(guard));
            cases.push(Case { pattern, guard, body: self.block_of(&case.body) });
        }
        self.builder.add_match(Match { subject, cases }, range)
    }

    fn pattern(&mut self, pattern: &Pattern) -> NodeId {
        let range = self.range(pattern);
        if !self.enter() {
            self.depth -= 1;
            return self.builder.deep(range);
        }
        let node = self.any_pattern(pattern, range);
        self.depth -= 1;
        node
    }

    fn any_pattern(&mut self, pattern: &Pattern, range: Range) -> NodeId {
        let kind = match pattern {
            Pattern::MatchValue(value) => return self.expr(&value.value),
            Pattern::MatchSingleton(one) => match one.value {
                ast::Singleton::None => Kind::Nothing,
                ast::Singleton::True => Kind::Bool(true),
                ast::Singleton::False => Kind::Bool(false),
            },
            Pattern::MatchSequence(list) => {
                let items = self.patterns(&list.patterns);
                Kind::List(items)
            }
            Pattern::MatchMapping(table) => {
                let mut pairs = Vec::new();
                for (key, value) in table.keys.iter().zip(&table.patterns) {
                    let key = self.expr(key);
                    let value = self.pattern(value);
                    pairs.push(self.builder.add(Kind::Pair { key, value }, range));
                }
                if let Some(rest) = &table.rest {
                    pairs.push(self.taker(rest));
                }
                Kind::Table(self.builder.list(&pairs))
            }
            Pattern::MatchClass(class) => {
                let callee = self.expr(&class.cls);
                let mut args: Vec<NodeId> =
                    class.arguments.patterns.iter().map(|one| self.pattern(one)).collect();
                for keyword in &class.arguments.keywords {
                    let value = self.pattern(&keyword.pattern);
                    let name = self.builder.name(keyword.attr.as_str());
                    args.push(self.builder.add(Kind::Named { name, value }, range));
                }
                let args = self.builder.list(&args);
                Kind::Call { callee, args, makes: false }
            }
            Pattern::MatchStar(star) => match &star.name {
                Some(rest) => return self.taker(rest),
                None => Kind::Nothing,
            },
            Pattern::MatchAs(whole) => {
                let inner = whole.pattern.as_ref().map(|inner| self.pattern(inner));
                let taker = whole.name.as_ref().map(|name| {
                    let own = self.named(name.as_str());
                    self.builder.add(Kind::Name(own), range)
                });
                match (inner, taker) {
                    (Some(inner), Some(taker)) => Kind::And(self.builder.list(&[inner, taker])),
                    (Some(one), None) | (None, Some(one)) => return one,
                    (None, None) => Kind::Nothing,
                }
            }
            Pattern::MatchOr(ways) => Kind::Or(self.patterns(&ways.patterns)),
        };
        self.builder.add(kind, range)
    }

    fn patterns(&mut self, patterns: &[Pattern]) -> List {
        let items: Vec<NodeId> = patterns.iter().map(|one| self.pattern(one)).collect();
        self.builder.list(&items)
    }

    /// `*rest`
    fn taker(&mut self, name: &ast::Identifier) -> NodeId {
        let range = self.range(name);
        let own = self.named(name.as_str());
        let inner = self.builder.add(Kind::Name(own), range);
        self.builder.add(Kind::Spread(inner), range)
    }

    fn import(&mut self, import: &ast::StmtImport, range: Range) -> NodeId {
        let mut all = Vec::new();
        for alias in &import.names {
            let module = alias.name.as_str();
            // `import a.b` sets `a`.
            let top = alias.asname.is_none();
            let whole = match &alias.asname {
                Some(own) => self.named(own.as_str()),
                None => self.named(module.split('.').next().unwrap_or_default()),
            };
            let names = Vec::new();
            let one = Import { module: module.into(), level: 0, whole: Some(whole), top, names, star: false };
            all.push(self.builder.import(one, range));
        }
        match all.as_slice() {
            [one] => *one,
            several => self.builder.block(several, range),
        }
    }

    fn import_from(&mut self, import: &ast::StmtImportFrom, range: Range) -> NodeId {
        let module = import.module.as_ref().map_or("", |module| module.as_str()).into();
        let mut names = Vec::new();
        let mut star = false;
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                star = true;
                continue;
            }
            let name = self.builder.name(alias.name.as_str());
            let own = self.named(alias.asname.as_ref().unwrap_or(&alias.name).as_str());
            names.push((name, own));
        }
        self.builder
            .import(Import { module, level: import.level, whole: None, top: false, names, star }, range)
    }

    /// What is on the left of `=`: its names are set.
    fn target(&mut self, target: &Expr) -> NodeId {
        match target {
            Expr::Name(one) if crate::holes::first_in(one.id.as_str()).is_none() => {
                self.named(one.id.as_str());
                self.expr(target)
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                let range = self.range(target);
                if !self.enter() {
                    self.depth -= 1;
                    return self.builder.deep(range);
                }
                let items: Vec<NodeId> = elts.iter().map(|item| self.target(item)).collect();
                self.depth -= 1;
                let items = self.builder.list(&items);
                self.builder.add(Kind::List(items), range)
            }
            Expr::Starred(starred) => {
                let range = self.range(target);
                let inner = self.target(&starred.value);
                self.builder.add(Kind::Spread(inner), range)
            }
            _ => self.expr(target),
        }
    }

    fn exprs(&mut self, all: &[Expr]) -> List {
        let items: Vec<NodeId> = all.iter().map(|one| self.expr(one)).collect();
        self.builder.list(&items)
    }

    fn expr(&mut self, expr: &Expr) -> NodeId {
        let range = self.range(expr);
        if !self.enter() {
            self.depth -= 1;
            return self.builder.deep(range);
        }
        let node = self.any_expr(expr, range);
        self.depth -= 1;
        node
    }

    fn any_expr(&mut self, expr: &Expr, range: Range) -> NodeId {
        match expr {
            Expr::Name(one) => name(&mut self.builder, one.id.as_str(), range),
            Expr::Call(call) => self.call(call, range),
            Expr::BinOp(binary) => self.binary(binary),
            Expr::Compare(compare) => self.compare(compare, range),
            Expr::Lambda(lambda) => self.lambda(lambda, range),
            Expr::Dict(table) => self.table(table, range),
            Expr::FString(text) => self.template(text, range),
            Expr::TString(text) => self.interpolated(text.value.elements(), range),
            Expr::StringLiteral(text) => self.builder.text(text.value.to_str(), range),
            Expr::BytesLiteral(bytes) => {
                let bytes: Vec<u8> = bytes.value.bytes().collect();
                self.builder.text(&text_of(bytes), range)
            }
            Expr::ListComp(ast::ExprListComp { elt, generators, .. })
            | Expr::SetComp(ast::ExprSetComp { elt, generators, .. })
            | Expr::Generator(ast::ExprGenerator { elt, generators, .. }) => {
                self.comprehension(generators, range, |lower| lower.expr(elt))
            }
            Expr::DictComp(ast::ExprDictComp { key, value, generators, .. }) => {
                self.comprehension(generators, range, |lower| {
                    let value = lower.expr(value);
                    match key {
                        Some(key) => {
                            let key = lower.expr(key);
                            lower.builder.add(Kind::Pair { key, value }, range)
                        }
                        None => lower.builder.add(Kind::Spread(value), range),
                    }
                })
            }
            _ => {
                let kind = self.plain(expr, range);
                self.builder.add(kind, range)
            }
        }
    }

    /// Expressions that are one node with its children.
    fn plain(&mut self, expr: &Expr, range: Range) -> Kind {
        match expr {
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(number) => number.as_i64().map_or(Kind::Number, Kind::Int),
                _ => Kind::Number,
            },
            Expr::BooleanLiteral(truth) => Kind::Bool(truth.value),
            Expr::NoneLiteral(_) | Expr::EllipsisLiteral(_) => Kind::Nothing,
            Expr::Attribute(part) => {
                let of = self.expr(&part.value);
                Kind::Attribute { of, name: self.builder.name(part.attr.as_str()) }
            }
            Expr::Subscript(item) => self.item(item, range),
            Expr::Starred(starred) => Kind::Spread(self.expr(&starred.value)),
            Expr::List(ast::ExprList { elts, .. })
            | Expr::Tuple(ast::ExprTuple { elts, .. })
            | Expr::Set(ast::ExprSet { elts, .. }) => Kind::List(self.exprs(elts)),
            Expr::BoolOp(parts) => {
                let values = self.exprs(&parts.values);
                if parts.op == BoolOp::And { Kind::And(values) } else { Kind::Or(values) }
            }
            Expr::UnaryOp(unary) => {
                let of = self.expr(&unary.operand);
                match unary.op {
                    UnaryOp::Not => Kind::Not(of),
                    UnaryOp::USub => Kind::Minus(of),
                    UnaryOp::UAdd | UnaryOp::Invert => Kind::Sign(of),
                }
            }
            Expr::If(choice) => {
                let test = self.expr(&choice.test);
                let then = self.expr(&choice.body);
                Kind::If { test, then, otherwise: Some(self.expr(&choice.orelse)) }
            }
            Expr::Named(assign) => {
                let value = self.expr(&assign.value);
                Kind::Assign { target: self.target(&assign.target), value }
            }
            Expr::Await(wait) => {
                self.leaves();
                Kind::Await(self.expr(&wait.value))
            }
            Expr::Yield(one) => {
                self.yields();
                Kind::Yield { value: one.value.as_ref().map(|value| self.expr(value)), all: false }
            }
            Expr::YieldFrom(all) => {
                self.yields();
                Kind::Yield { value: Some(self.expr(&all.value)), all: true }
            }
            _ => {
                self.builder.fault(range);
                Kind::Unknown(List::default())
            }
        }
    }

    fn yields(&mut self) {
        self.leaves();
        if let Some(scope) = self.scopes.last_mut() {
            scope.yields = true;
        }
    }

    fn item(&mut self, item: &ast::ExprSubscript, range: Range) -> Kind {
        let of = self.expr(&item.value);
        let Expr::Slice(slice) = &*item.slice else {
            return Kind::Index { of, key: self.expr(&item.slice) };
        };
        let mut bounds = Vec::new();
        for bound in [&slice.lower, &slice.upper, &slice.step] {
            bounds.push(match bound {
                Some(bound) => self.expr(bound),
                None => self.builder.add(Kind::Nothing, range),
            });
        }
        if slice.step.is_none() {
            bounds.pop();
        }
        Kind::Slice { of, bounds: self.builder.list(&bounds) }
    }

    /// `a + b + c`: what stands left may be long, and is read without going down.
    fn binary(&mut self, binary: &ast::ExprBinOp) -> NodeId {
        let mut spine = vec![binary];
        while let Some(Expr::BinOp(inner)) = spine.last().map(|last| &*last.left) {
            spine.push(inner);
        }
        let mut left = match spine.last() {
            Some(first) => self.expr(&first.left),
            None => self.builder.unknown(&[], Range::default()),
        };
        for part in spine.into_iter().rev() {
            let right = self.expr(&part.right);
            let range = self.range(part);
            left = self.builder.add(Kind::Binary { op: operator(part.op), left, right }, range);
        }
        left
    }

    /// `a < b < c` is both.
    fn compare(&mut self, compare: &ast::ExprCompare, range: Range) -> NodeId {
        let mut left = self.expr(&compare.left);
        let mut parts = Vec::new();
        for (op, right) in compare.ops.iter().zip(&compare.comparators) {
            let right = self.expr(right);
            let op = match op {
                CmpOp::Eq | CmpOp::Is => Comparison::Equal,
                CmpOp::NotEq | CmpOp::IsNot => Comparison::Unequal,
                CmpOp::In => Comparison::In,
                CmpOp::NotIn => Comparison::NotIn,
                _ => Comparison::Other,
            };
            parts.push(self.builder.add(Kind::Compare { op, left, right }, range));
            left = right;
        }
        match parts.as_slice() {
            [one] => *one,
            several => {
                let parts = self.builder.list(several);
                self.builder.add(Kind::And(parts), range)
            }
        }
    }

    fn lambda(&mut self, lambda: &ast::ExprLambda, range: Range) -> NodeId {
        self.scopes.push(Scope::default());
        let params = lambda.parameters.as_ref().map(|params| self.params(params)).unwrap_or_default();
        let body = self.expr(&lambda.body);
        let scope = self.scopes.pop().unwrap_or_default();
        let function = Function {
            name: None,
            params,
            body,
            short: true,
            decorators: List::default(),
            locals: scope.locals,
            yields: scope.yields,
            receiver: Receiver::First,
        };
        self.builder.function(function, range)
    }

    fn table(&mut self, table: &ast::ExprDict, range: Range) -> NodeId {
        let mut pairs = Vec::new();
        for item in table.iter() {
            let value = self.expr(&item.value);
            let kind = match &item.key {
                Some(key) => Kind::Pair { key: self.expr(key), value },
                None => Kind::Spread(value),
            };
            pairs.push(self.builder.add(kind, range));
        }
        let pairs = self.builder.list(&pairs);
        self.builder.add(Kind::Table(pairs), range)
    }

    fn comprehension(
        &mut self,
        generators: &[ast::Comprehension],
        range: Range,
        element: impl FnOnce(&mut Self) -> NodeId,
    ) -> NodeId {
        self.scopes.push(Scope::default());
        let mut clauses = Vec::new();
        for generator in generators {
            let of = self.expr(&generator.iter);
            let target = self.target(&generator.target);
            let tests = self.exprs(&generator.ifs);
            clauses.push(Clause { target, of, tests });
        }
        let element = element(self);
        let scope = self.scopes.pop().unwrap_or_default();
        self.builder.comprehension(Comprehension { element, clauses, locals: scope.locals }, range)
    }

    fn call(&mut self, call: &ast::ExprCall, range: Range) -> NodeId {
        // `super()` without anything, or with the class and the object.
        let is_super = matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "super");
        if is_super {
            return self.builder.add(Kind::Super, range);
        }
        let callee = self.expr(&call.func);
        let args = self.arguments(&call.arguments);
        self.builder.add(Kind::Call { callee, args, makes: false }, range)
    }

    fn arguments(&mut self, arguments: &ast::Arguments) -> List {
        let mut args: Vec<NodeId> = arguments.args.iter().map(|arg| self.expr(arg)).collect();
        for keyword in &arguments.keywords {
            let range = self.range(keyword);
            let value = self.expr(&keyword.value);
            let kind = match &keyword.arg {
                Some(own) => Kind::Named { name: self.builder.name(own.as_str()), value },
                None => Kind::Spread(value),
            };
            args.push(self.builder.add(kind, range));
        }
        self.builder.list(&args)
    }

    fn template(&mut self, text: &ast::ExprFString, range: Range) -> NodeId {
        let mut parts = Vec::new();
        for part in text.value.iter() {
            let part_range = self.range(part);
            match part {
                FStringPart::Literal(text) => parts.push(self.builder.text(text.as_str(), part_range)),
                FStringPart::FString(text) => self.elements(text.elements.iter(), &mut parts),
            }
        }
        let parts = self.builder.list(&parts);
        self.builder.add(Kind::Template(parts), range)
    }

    fn interpolated<'e>(
        &mut self,
        elements: impl Iterator<Item = &'e InterpolatedStringElement>,
        range: Range,
    ) -> NodeId {
        let mut parts = Vec::new();
        self.elements(elements, &mut parts);
        let parts = self.builder.list(&parts);
        self.builder.add(Kind::Template(parts), range)
    }

    fn elements<'e>(
        &mut self,
        elements: impl Iterator<Item = &'e InterpolatedStringElement>,
        parts: &mut Vec<NodeId>,
    ) {
        for element in elements {
            let range = self.range(element);
            match element {
                InterpolatedStringElement::Literal(text) => parts.push(self.builder.text(&text.value, range)),
                InterpolatedStringElement::Interpolation(inner) => {
                    if let Some(debug) = &inner.debug_text {
                        // `{value=}` is written with its own text before it.
                        parts.push(self.builder.text(debug.as_str(), range));
                    }
                    let value = self.expr(&inner.expression);
                    parts.push(self.formatted(value, inner, range));
                }
            }
        }
    }

    /// `{value!r:>{width}}`: what says how it is written is worked out, too.
    fn formatted(&mut self, value: NodeId, inner: &ast::InterpolatedElement, range: Range) -> NodeId {
        let mut value = value;
        if inner.conversion == ast::ConversionFlag::Repr {
            value = self.called("repr", &[value], range);
        }
        let spec = inner.format_spec.as_ref().map(|spec| &spec.elements[..]).unwrap_or_default();
        let inner_code = spec.iter().any(|part| matches!(part, InterpolatedStringElement::Interpolation(_)));
        if !inner_code {
            return value;
        }
        if !self.enter() {
            self.depth -= 1;
            return self.builder.deep(range);
        }
        let mut args = vec![value];
        self.elements(spec.iter(), &mut args);
        self.depth -= 1;
        self.called("format", &args, range)
    }

    fn called(&mut self, function: &str, args: &[NodeId], range: Range) -> NodeId {
        let name = self.builder.name(function);
        let callee = self.builder.add(Kind::Name(name), range);
        let args = self.builder.list(args);
        self.builder.add(Kind::Call { callee, args, makes: false }, range)
    }
}

fn operator(op: Operator) -> Binary {
    match op {
        Operator::Add => Binary::Add,
        Operator::Sub => Binary::Subtract,
        Operator::Mult => Binary::Multiply,
        Operator::Div => Binary::Divide,
        Operator::FloorDiv => Binary::DivideWhole,
        Operator::Mod => Binary::Modulo,
        Operator::BitOr => Binary::Or,
        Operator::BitAnd => Binary::And,
        Operator::BitXor => Binary::Xor,
        Operator::LShift => Binary::Left,
        Operator::RShift => Binary::Right,
        _ => Binary::Other,
    }
}

/// Bytes as text: UTF-8, or else a character for each.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}
