use super::*;
use crate::flow::{Answer, Inside, Site, Step};
use crate::sql::advisory::{self, Key, KeyPart};
use proptest::prelude::*;

fn site(name: &str, key: i64) -> Site {
    let span = Span::new(0, 0);
    Site {
        lock: match advisory::function(name) {
            Some(function) => Lock::Advisory { function, key: Key::Bigint(KeyPart::Constant(key)) },
            None => Lock::Rows { tables: vec![name.to_owned()] },
        },
        span,
        statement: span,
        via: None,
        inside: Inside::default(),
        answer: Answer::None,
        guards_own_statement: false,
    }
}

const SITES: &[&str] = &[
    "pg_advisory_lock",
    "pg_try_advisory_lock",
    "pg_advisory_xact_lock",
    "pg_advisory_unlock",
    "pg_advisory_unlock_all",
    "t",
];

fn action() -> impl Strategy<Value = Action> {
    let site = 0..SITES.len() * 2;
    let name = || prop::sample::select(vec!["a", "b"]).prop_map(str::to_owned);
    prop_oneof![
        6 => site.prop_map(|site| match SITES[site / 2] {
            "pg_advisory_unlock" => Action::Release(site),
            "pg_advisory_unlock_all" => Action::ReleaseAll(Some(site)),
            _ => Action::Acquire(site),
        }),
        1 => any::<bool>().prop_map(|one_snapshot| Action::Begin { one_snapshot }),
        1 => any::<bool>().prop_map(|chain| Action::End { chain, commits: true }),
        1 => name().prop_map(Action::Savepoint),
        1 => name().prop_map(Action::RollbackTo),
        2 => prop::collection::vec(name(), 0..2)
            .prop_map(|writes| Action::Work { reads: Vec::new(), writes }),
        1 => Just(Action::ConcurrentIndex),
        1 => Just(Action::EndSession),
    ]
}

/// A tree whose steps are numbered later.
fn node() -> impl Strategy<Value = Node> {
    let label = || prop::option::of(Just("l".to_owned()));
    let exit = prop_oneof![
        Just(Exit::Return),
        Just(Exit::Raise),
        label().prop_map(Exit::Break),
        label().prop_map(Exit::Continue),
    ];
    let leaf = prop_oneof![
        4 => Just(Node::Step(0)),
        1 => exit.prop_map(|exit| Node::Exit(exit, Span::new(1, 2))),
    ];
    leaf.prop_recursive(8, 64, 6, move |inner| {
        let guard = prop::option::of((0..SITES.len() * 2, any::<Option<bool>>(), any::<Option<bool>>()));
        let guard = guard.prop_map(|guard| guard.map(|(site, then, otherwise)| Guard { site, then, otherwise }));
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Node::Sequence),
            (guard, inner.clone(), inner.clone()).prop_map(|(guard, then, otherwise)| Node::Branch {
                guard,
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            }),
            (label(), inner.clone(), any::<bool>()).prop_map(|(label, body, endless)| Node::Loop {
                label,
                body: Box::new(body),
                endless
            }),
            inner.clone().prop_map(|body| Node::Block { label: "l".to_owned(), body: Box::new(body) }),
            (inner.clone(), inner.clone())
                .prop_map(|(body, cleanup)| Node::Ensured { body: Box::new(body), cleanup: Box::new(cleanup) }),
            (inner.clone(), prop::collection::vec(inner, 0..3), any::<bool>()).prop_map(|(body, handlers, all)| {
                let catches = if all { Catches::All } else { Catches::Statements };
                Node::Try { body: Box::new(body), handlers, catches }
            }),
        ]
    })
}

fn number(node: &mut Node, next: &mut StepId) {
    match node {
        Node::Step(step) => {
            *step = *next;
            *next += 1;
        }
        Node::Sequence(nodes) => nodes.iter_mut().for_each(|node| number(node, next)),
        Node::Branch { then, otherwise, .. } => {
            number(then, next);
            number(otherwise, next);
        }
        Node::Loop { body, .. } | Node::Block { body, .. } => number(body, next),
        Node::Try { body, handlers, .. } => {
            number(body, next);
            handlers.iter_mut().for_each(|node| number(node, next));
        }
        Node::Ensured { body, cleanup } => {
            number(body, next);
            number(cleanup, next);
        }
        Node::Failed { .. } | Node::Exit(..) => {}
    }
}

fn unit(kind: UnitKind, surroundings: Surroundings, mut root: Node, actions: &[Action]) -> Unit {
    let mut count = 0;
    number(&mut root, &mut count);
    let span = Span::new(0, 9);
    let step = |index: usize| Step { action: actions[index % actions.len()].clone(), span, statement: index / 2 };
    Unit {
        kind,
        name: String::new(),
        span,
        surroundings,
        ends_outer: false,
        reads_one_snapshot: false,
        runner: None,
        work_follows: false,
        sites: (0..SITES.len() * 2).map(|index| site(SITES[index / 2], index as i64 % 2)).collect(),
        steps: (0..count).map(step).collect(),
        changes: std::collections::BTreeMap::new(),
        root,
        session: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn every_tree_is_walked(
        root in node(),
        actions in prop::collection::vec(action(), 1..40),
        kind in prop::sample::select(vec![
            UnitKind::Script, UnitKind::Function { trigger: false }, UnitKind::Procedure { inline: true },
        ]),
        surroundings in prop::sample::select(vec![
            Surroundings::Autocommit { evident: false }, Surroundings::Runner, Surroundings::Unknown,
        ]),
    ) {
        let unit = unit(kind, surroundings, root, &actions);
        let trace = interpret(&unit);
        prop_assert_eq!(trace.before.len(), unit.steps.len());
        let known = |sites: &Sites| sites.iter().all(|site| {
            // What is released is never held.
            unit.advisory(site).is_none_or(|(function, _)| function.acquires())
        });
        for before in &trace.before {
            prop_assert!(known(&before.held_any) && known(&before.evaporated) && known(&before.ended));
            prop_assert!(before.reached > 0 || *before == Before::default());
            prop_assert!(!(before.in_transaction() && before.autocommit()));
            prop_assert!(before.begin().is_none() || before.in_transaction());
        }
        for leaving in &trace.leaving {
            prop_assert!(known(&leaving.held));
        }
        // The questions that rules ask, too, end for every tree.
        let flow = crate::flow::UnitFlow::new(unit);
        for (step, site) in flow.unit.site_steps() {
            flow.work_after(step);
            flow.unguarded_repetition(site);
            flow.ending_of(site);
            flow.first_write_without(site, &["a".to_owned()]);
            flow.has_unlock_attempt(site);
        }
    }
}

/// Each loop doubles the work of those around it.
#[test]
fn loops_in_loops_end() {
    let nested = (0..90).fold(Node::Step(0), |body, _| Node::Loop {
        label: None,
        body: Box::new(Node::Sequence(vec![Node::Step(0), body])),
        endless: false,
    });
    let unit = unit(UnitKind::Procedure { inline: true }, Surroundings::Unknown, nested, &[Action::Acquire(2)]);
    let trace = interpret(&unit);
    assert!(trace.truncated);
    assert!(trace.before.iter().all(|before| before.reached > 0));
}

#[test]
fn many_ways_end() {
    let branch = |_| Node::Branch { guard: None, then: Box::new(Node::Step(0)), otherwise: Box::new(Node::Step(0)) };
    let root = Node::Sequence((0..3000).map(branch).collect());
    let actions: Vec<Action> = (0..4).map(Action::Acquire).collect();
    let trace = interpret(&unit(UnitKind::Script, Surroundings::Runner, root, &actions));
    assert_eq!(trace.before.len(), 6000);
    assert!(trace.before.iter().all(|before| before.reached <= MAX_STATES));
}
