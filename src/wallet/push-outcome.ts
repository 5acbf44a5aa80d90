/** What came of notifying a phone: `gone`, it does not have the pass any more. */
export type PushOutcome = { kind: 'done' } | { kind: 'gone' } | { kind: 'failed'; problem: string }
