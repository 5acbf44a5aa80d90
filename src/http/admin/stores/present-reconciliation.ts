import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { OrNull, Timestamp } from '#resources'
import type { Reconciliation } from '#sync'

export const ReconciliationBody = Type.Object(
  {
    kind: Type.String({
      description: 'What is read: `webhooks`, `contracts`, `attempts`, `all_contracts` or `failed_attempts`'
    }),
    next_at: Timestamp('When it runs next, in real time'),
    known_until: Timestamp("Changes on the platform up to here are known, in the store's time"),
    seen: Type.Integer({ description: 'How many objects the last run read' }),
    changed: Type.Integer({ description: 'How many of them differed from what was known here' }),
    failures: Type.Integer({ description: 'How many runs in a row have failed' }),
    last_error: OrNull(Type.String({ description: 'Why the last run failed; null when it did not' })),
    finished_at: OrNull(Timestamp('When the last run ended, in real time'))
  },
  {
    title: 'Reconciliation',
    description: 'One kind of reading that makes up for messages of the platform that were lost.',
    examples: [
      {
        kind: 'contracts',
        next_at: '2026-11-21T05:34:42.000Z',
        known_until: '2026-11-21T05:19:42.000Z',
        seen: 12,
        changed: 0,
        failures: 0,
        last_error: null,
        finished_at: '2026-11-21T05:19:43.000Z'
      }
    ]
  }
)

export function presentReconciliation(reconciliation: Reconciliation): Static<typeof ReconciliationBody> {
  const { kind, nextAt, cursorAt, seen, changed, failures, lastError, finishedAt } = reconciliation
  return {
    kind,
    next_at: isoOf(nextAt),
    known_until: isoOf(cursorAt),
    seen,
    changed,
    failures,
    last_error: lastError,
    finished_at: isoOrNull(finishedAt)
  }
}
