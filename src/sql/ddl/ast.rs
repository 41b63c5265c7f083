//! DDL as sqlparser reads it. Names and types come from the tokens at its offsets.

use super::{Change, Column, CreateTable, Key, KeyKind, Like, Name, key, type_name};
use crate::sql::clause::Tree;
use crate::sql::mask::{Parsed, statement};
use sqlparser::ast::{
    AlterIndexOperation, AlterTableOperation, ColumnDef, ColumnOption, CreateTableLikeKind, Expr, Ident, IndexColumn,
    ObjectName, ObjectNamePart, ObjectType, RenameTableNameKind, Statement, TableConstraint,
};

/// None where sqlparser rejects the statement, or reads it as something else.
pub(super) fn changes(tree: &Tree<'_>) -> Option<Vec<Change>> {
    let parsed = statement(tree, &tree.all())?;
    Reader { tree, parsed: &parsed }.statement(&parsed.node)
}

struct Reader<'a, 't> {
    tree: &'a Tree<'t>,
    parsed: &'a Parsed<Statement>,
}

impl Reader<'_, '_> {
    fn ident(&self, ident: &Ident) -> Option<String> {
        let index = self.parsed.token(self.tree, ident.span)?;
        self.tree.ident(index).map(|name| name.into_owned())
    }

    fn name(&self, name: &ObjectName) -> Option<Name> {
        let part = |part: &ObjectNamePart| match part {
            ObjectNamePart::Identifier(ident) => self.ident(ident),
            ObjectNamePart::Function(_) => None,
        };
        match name.0.as_slice() {
            [name] => Some(Name { schema: None, name: part(name)? }),
            [.., schema, name] => Some(Name { schema: Some(part(schema)?), name: part(name)? }),
            [] => None,
        }
    }

    fn statement(&self, statement: &Statement) -> Option<Vec<Change>> {
        match statement {
            Statement::CreateTable(create) => self.create_table(create).map(|table| vec![Change::CreateTable(table)]),
            Statement::CreateIndex(index) if index.unique => {
                let table = self.name(&index.table_name)?;
                let name = match &index.name {
                    Some(name) => Some(self.name(name)?.name),
                    None => None,
                };
                let Some(columns) = self.key_columns(&index.columns) else {
                    return Some(Vec::new());
                };
                let key = key(&table, name, columns, KeyKind::Index { partial: index.predicate.is_some() });
                Some(vec![Change::AddKey { table, key }])
            }
            Statement::AlterTable(alter) => {
                let table = self.name(&alter.name)?;
                let mut out = Vec::new();
                for operation in &alter.operations {
                    self.operation(operation, &table, &mut out)?;
                }
                Some(out)
            }
            Statement::AlterIndex { name, operation: AlterIndexOperation::RenameIndex { index_name } } => {
                let (key, to) = (self.name(name)?.name, self.name(index_name)?.name);
                Some(vec![Change::RenameKey { key, to }])
            }
            Statement::Drop { object_type, names, .. } => {
                let change = match object_type {
                    ObjectType::Table => Change::DropTable,
                    ObjectType::Index => Change::DropIndex,
                    _ => return None,
                };
                names.iter().map(|name| self.name(name).map(change)).collect()
            }
            _ => None,
        }
    }

    fn create_table(&self, create: &sqlparser::ast::CreateTable) -> Option<CreateTable> {
        let table = self.name(&create.name)?;
        let (mut columns, mut keys) = (Vec::new(), Vec::new());
        for column in &create.columns {
            let (column, own) = self.column(column, &table)?;
            columns.push(column);
            keys.extend(own);
        }
        for constraint in &create.constraints {
            keys.extend(self.constraint(constraint, &table)?);
        }
        let like = match &create.like {
            Some(CreateTableLikeKind::Parenthesized(like) | CreateTableLikeKind::Plain(like)) => {
                vec![Like { table: self.name(&like.name)?, keys: false }]
            }
            None => Vec::new(),
        };
        let partition_of = match &create.partition_of {
            Some(parent) => Some(self.name(parent)?),
            None => None,
        };
        let parents = create.inherits.as_deref().unwrap_or_default();
        Some(CreateTable {
            table,
            columns,
            keys,
            like,
            partition_of,
            inherits: parents.iter().map(|parent| self.name(parent)).collect::<Option<_>>()?,
            derived: create.query.is_some(),
            if_not_exists: create.if_not_exists,
        })
    }

    fn column(&self, column: &ColumnDef, table: &Name) -> Option<(Column, Vec<Key>)> {
        let index = self.parsed.token(self.tree, column.name.span)?;
        let name = self.ident(&column.name)?;
        let mut keys = Vec::new();
        for option in &column.options {
            let kind = match &option.option {
                ColumnOption::PrimaryKey(_) => KeyKind::Primary,
                ColumnOption::Unique(_) => KeyKind::Unique,
                _ => continue,
            };
            let constraint = match &option.name {
                Some(name) => Some(self.ident(name)?),
                None => None,
            };
            keys.push(key(table, constraint, vec![name.clone()], kind));
        }
        let ty = type_name(self.tree, index + 1, self.tree.all().end);
        Some((Column { name, ty }, keys))
    }

    /// The key of a constraint, if it is one. None where its name is not understood.
    fn constraint(&self, constraint: &TableConstraint, table: &Name) -> Option<Option<Key>> {
        let (name, columns, kind) = match constraint {
            TableConstraint::PrimaryKey(primary) => (&primary.name, &primary.columns, KeyKind::Primary),
            TableConstraint::Unique(unique) => (&unique.name, &unique.columns, KeyKind::Unique),
            _ => return Some(None),
        };
        let name = match name {
            Some(name) => Some(self.ident(name)?),
            None => None,
        };
        Some(self.key_columns(columns).map(|columns| key(table, name, columns, kind)))
    }

    /// The columns of a key; none where one is an expression.
    fn key_columns(&self, columns: &[IndexColumn]) -> Option<Vec<String>> {
        columns
            .iter()
            .map(|column| {
                let mut expr = &column.column.expr;
                while let Expr::Collate { expr: inner, .. } = expr {
                    expr = inner;
                }
                match expr {
                    Expr::Identifier(ident) => self.ident(ident),
                    _ => None,
                }
            })
            .collect()
    }

    fn operation(&self, operation: &AlterTableOperation, table: &Name, out: &mut Vec<Change>) -> Option<()> {
        let table = table.clone();
        match operation {
            AlterTableOperation::AddConstraint {
                constraint: TableConstraint::UniqueUsingIndex(using) | TableConstraint::PrimaryKeyUsingIndex(using),
                ..
            } => {
                if let Some(name) = &using.name {
                    out.push(Change::RenameKey { key: self.ident(&using.index_name)?, to: self.ident(name)? });
                }
            }
            AlterTableOperation::AddConstraint { constraint, .. } => {
                out.extend(self.constraint(constraint, &table)?.map(|key| Change::AddKey { table, key }));
            }
            AlterTableOperation::AddColumn { column_def, .. } => {
                let (column, keys) = self.column(column_def, &table)?;
                out.push(Change::AddColumn { table: table.clone(), column });
                out.extend(keys.into_iter().map(|key| Change::AddKey { table: table.clone(), key }));
            }
            AlterTableOperation::DropConstraint { name, .. } => {
                out.push(Change::DropKey { table, constraint: self.ident(name)? });
            }
            AlterTableOperation::DropColumn { column_names, .. } => {
                for column in column_names {
                    out.push(Change::DropColumn { table: table.clone(), column: self.ident(column)? });
                }
            }
            AlterTableOperation::RenameColumn { old_column_name, new_column_name } => {
                let (column, to) = (self.ident(old_column_name)?, self.ident(new_column_name)?);
                out.push(Change::RenameColumn { table, column, to });
            }
            AlterTableOperation::RenameTable {
                table_name: RenameTableNameKind::To(name) | RenameTableNameKind::As(name),
            } => out.push(Change::RenameTable { table, to: self.name(name)?.name }),
            AlterTableOperation::RenameConstraint { old_name, new_name } => {
                out.push(Change::RenameKey { key: self.ident(old_name)?, to: self.ident(new_name)? });
            }
            _ => {}
        }
        Some(())
    }
}
