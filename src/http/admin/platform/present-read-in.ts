import { type Static, Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { OrNull, Timestamp } from '#resources'
import type { ReadIn } from '#sync'

const ReadInPart = Type.Object({
  part: Type.String({ description: '`customers`, `contracts` or `orders`' }),
  status: Type.String({
    description:
      '`waiting` for the platform to write its file, `reading` the file, `done`, or `failed` when it cannot be read this way'
  }),
  since: OrNull(Timestamp('Only what was placed or changed at this time or later is read; null for all')),
  lines: Type.Integer({ description: "How many lines the platform's file has, as far as it is written" }),
  lines_read: Type.Integer({ description: 'How many of them are read' }),
  seen: Type.Integer({ description: 'How many customers, contracts or orders were read' }),
  skipped: Type.Integer({ description: 'How many of them could not be read' }),
  skipped_reason: OrNull(Type.String({ description: 'Why the last of these could not be read' })),
  failures: Type.Integer({ description: 'How many tries in a row have failed' }),
  last_error: OrNull(Type.String({ description: 'Why the last try failed, or what is waited for; null otherwise' })),
  finished_at: OrNull(Timestamp('When it was last read to its end, in real time'))
})

export const ReadInBody = Type.Object(
  {
    status: Type.String({
      description: '`running`, `done`, or `failed` when a part has failed and the others are done'
    }),
    sees_all_orders: Type.Boolean({
      description: 'Whether the platform shows orders older than 60 days: the app has the scope `read_all_orders`'
    }),
    parts: Type.Array(ReadInPart, { description: 'What is read, in this order' })
  },
  {
    title: 'ReadIn',
    description: 'The reading of what a store had on its platform before it was connected.',
    examples: [
      {
        status: 'running',
        sees_all_orders: false,
        parts: [
          {
            part: 'customers',
            status: 'reading',
            since: null,
            lines: 125000,
            lines_read: 40500,
            seen: 40500,
            skipped: 0,
            skipped_reason: null,
            failures: 0,
            last_error: null,
            finished_at: null
          }
        ]
      }
    ]
  }
)

const STATUSES = { start: 'waiting', wait: 'waiting', read: 'reading', done: 'done', failed: 'failed' } as const

export function presentReadIn(parts: ReadIn[], seesAllOrders: boolean): Static<typeof ReadInBody> {
  // Customers are read again every day after that: what was read once stays read.
  const statusOf = ({ phase, finishedAt }: ReadIn) =>
    phase !== 'failed' && finishedAt !== null ? 'done' : STATUSES[phase]
  const statuses = parts.map(statusOf)
  return {
    status: statuses.some((one) => one === 'waiting' || one === 'reading')
      ? 'running'
      : statuses.includes('failed')
        ? 'failed'
        : 'done',
    sees_all_orders: seesAllOrders,
    parts: parts.map((one) => ({
      part: one.part,
      status: statusOf(one),
      since: isoOrNull(one.since),
      lines: one.lines,
      lines_read: one.linesRead,
      seen: one.seen,
      skipped: one.skipped,
      skipped_reason: one.skippedReason,
      failures: one.failures,
      last_error: one.lastError,
      finished_at: isoOrNull(one.finishedAt)
    }))
  }
}
