import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import type { OrderWalk } from '#orders'
import { OrNull, Timestamp } from '#resources'

export const OrderImportBody = Type.Object(
  {
    status: Type.String({ description: '`running`, or `done` when everything was read' }),
    since: Timestamp('Orders that changed on the platform at this time or later are read'),
    seen: Type.Integer({ description: 'How many orders and disputes the platform has listed so far' }),
    changed: Type.Integer({ description: 'How many of them were new here or had changed' }),
    failures: Type.Integer({ description: 'How many tries in a row have failed' }),
    last_error: OrNull(Type.String({ description: 'Why the last try failed; null when it did not' })),
    finished_at: OrNull(Timestamp('When the last import ended, in real time'))
  },
  {
    title: 'OrderImport',
    description: 'The reading of orders that the platform had before, in the background.',
    examples: [
      {
        status: 'running',
        since: '2025-01-01T00:00:00.000Z',
        seen: 12500,
        changed: 12431,
        failures: 0,
        last_error: null,
        finished_at: null
      }
    ]
  }
)

export const presentOrderImport = (walk: OrderWalk): Static<typeof OrderImportBody> => ({
  status: walk.nextAt === null ? 'done' : 'running',
  since: isoOf(walk.cursorAt),
  seen: walk.seen,
  changed: walk.changed,
  failures: walk.failures,
  last_error: walk.lastError,
  finished_at: isoOrNull(walk.finishedAt)
})
