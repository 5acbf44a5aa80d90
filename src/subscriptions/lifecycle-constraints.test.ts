import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { aContract, anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { upsertFromContracts } from '../contracts/upsert-from-contracts.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const LATER = START.add({ hours: 24 })

const STATUSES = ['active', 'paused', 'cancelled', 'failed', 'expired'] as const
/** Columns that only some statuses may have. */
const NOTHING = {
  nextBillingAt: null,
  billingDueAt: null,
  pausedAt: null,
  resumesAt: null,
  cancelledAt: null,
  cancelReason: null,
  graceEndsAt: null
} as const
type Columns = { [K in keyof typeof NOTHING]: Temporal.Instant | string | null }
const ended: Partial<Columns> = { cancelledAt: START, cancelReason: 'other' }

const LEGAL: Record<(typeof STATUSES)[number], Partial<Columns>[]> = {
  active: [{}, { nextBillingAt: LATER, billingDueAt: LATER }, { nextBillingAt: LATER }],
  paused: [{ pausedAt: START }, { pausedAt: START, resumesAt: LATER }],
  cancelled: [ended, { ...ended, graceEndsAt: LATER }],
  failed: [ended],
  expired: [ended]
}
const ILLEGAL: Record<(typeof STATUSES)[number], Partial<Columns>[]> = {
  active: [{ pausedAt: START }, { resumesAt: LATER }, ended, { graceEndsAt: LATER }],
  paused: [
    {},
    { pausedAt: START, nextBillingAt: LATER },
    { pausedAt: START, billingDueAt: LATER },
    { pausedAt: START, ...ended }
  ],
  cancelled: [
    {},
    { cancelledAt: START },
    { ...ended, nextBillingAt: LATER },
    { ...ended, pausedAt: START },
    { ...ended, resumesAt: LATER }
  ],
  failed: [{}, { ...ended, graceEndsAt: LATER }, { ...ended, billingDueAt: LATER }, { ...ended, pausedAt: START }],
  expired: [{}, { ...ended, graceEndsAt: LATER }, { ...ended, billingDueAt: LATER }, { ...ended, pausedAt: START }]
}

const store = await aStore(db, { clockAt: START })
const contract = aContract(START)
await store.inStore((ctx) => upsertFromContracts(ctx, [contract], [anOrder(START, { id: contract.originOrder!.id })]))

/** Puts the row into a state, and takes that back. */
async function write(status: string, given: Partial<Columns>): Promise<void> {
  const to: Columns = { ...NOTHING, ...given }
  const undone = new Error('undone')
  await assert.rejects(
    store.inStore(async ({ tx, storeId }) => {
      await tx.one(
        row({ id: int }),
        sql`
        update subscriptions
           set status = ${status}, next_billing_at = ${to.nextBillingAt}, billing_due_at = ${to.billingDueAt},
               paused_at = ${to.pausedAt}, resumes_at = ${to.resumesAt}, cancelled_at = ${to.cancelledAt},
               cancel_reason = ${to.cancelReason}, grace_ends_at = ${to.graceEndsAt}
         where store_id = ${storeId} returning id`
      )
      throw undone
    }),
    (err) => {
      if (err !== undone) throw err
      return true
    }
  )
}

for (const status of STATUSES) {
  test(`the database takes what ${status} can be, and nothing else`, async () => {
    for (const columns of LEGAL[status]) await write(status, columns)
    for (const columns of ILLEGAL[status]) {
      await assert.rejects(write(status, columns), { code: '23514' }, `${status} with ${Object.keys(columns)}`)
    }
  })
}
