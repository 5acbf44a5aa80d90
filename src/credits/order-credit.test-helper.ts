import assert from 'node:assert/strict'
import { audit } from '#audit'
import { type Database, int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { aStore } from '../../test/store-builder.ts'
import { changeCredits } from './change-credits.ts'
import type { CreditChange } from './credit.ts'
import { accountOf, at, START } from './credit-account.test-helper.ts'
import { createCreditEngine } from './credit-engine.ts'
import { captureReservation, releaseReservation } from './end-reservation.ts'
import { findCredit, findCreditTotals } from './find-credit.ts'
import { listCreditEntries } from './list-credit-entries.ts'
import { redeemCredit } from './redeem-credit.ts'
import { reserveCredit } from './reserve-credit.ts'
import { restoreCredit } from './restore-credit.ts'
import { settleOrderCredit } from './settle-order-credit.ts'

export const day = (days: number) => at(START).add({ hours: 24 * days })

let last = 0
/** A store with one customer, an order of theirs, and what happens to the credit because of it. */
export async function aCustomer(db: Database) {
  const engine = createCreditEngine({ db })
  const store = await aStore(db, { clockAt: at(START) })
  const reported = ['1', '2'].map((id) => ({ id, email: `c${id}@example.com`, firstName: null, lastName: null }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
  const [memberId, other] = ['1', '2'].map((id) => known.get(id)!.id) as [number, number]
  const { id: orderId } = await store.inStore(({ tx, storeId, now }) =>
    tx.one(
      row({ id: int }),
      sql`
      insert into orders (store_id, platform_order_id, member_id, name, number, currency, total_minor, tax_minor, discount_minor,
                          financial_status, tags, discount_codes, processed_at, platform_updated_at, created_at, updated_at)
      values (${storeId}, '1', ${memberId}, '#1', '1', 'USD', 6000, 0, 0, 'PAID', '{}', '{}', ${now}, ${now}, ${now}, ${now})
      returning id`
    )
  )
  const change = (type: CreditChange['type'], amountMinor: number, over: Partial<CreditChange> = {}) =>
    store.inStore(async (ctx) => {
      const asked = { memberId, type, amountMinor, reason: 'x', operationId: `t:${++last}`, ...over }
      return (await changeCredits(ctx, [asked]))[0]!
    })
  const reversed = { refunded: 0, disputed: 0 }
  const entries = async () =>
    (await store.inStore((ctx) => listCreditEntries(ctx, memberId, { limit: 50, offset: 0 }))).rows.toReversed()
  return {
    store,
    memberId,
    other,
    orderId,
    change,
    issue: (amountMinor: number, over: Partial<CreditChange> = {}) =>
      change('membership_charge', amountMinor, { orderId, ...over }),
    redeem: async (amountMinor: number, part?: string) => {
      const asked = { memberId, orderId, amountMinor, ...(part !== undefined && { part }) }
      return (await store.inStore((ctx) => redeemCredit(ctx, [asked])))[0]!.entry!
    },
    /** What is refunded and disputed of the order of 60.00 now: amount and shortfall of each entry that this leads to. */
    settle: async (now: { refunded?: number; disputed?: number }) => {
      Object.assign(reversed, now)
      const before = (await entries()).length
      const { refunded: refundedMinor, disputed: disputedMinor } = reversed
      const asked = { orderId, wholeMinor: 6000, refundedMinor, disputedMinor }
      await store.inStore((ctx) => settleOrderCredit(ctx, [asked]))
      return (await entries()).slice(before).map(({ amountMinor, shortfallMinor }) => [amountMinor, shortfallMinor])
    },
    reserve: (amountMinor: number, until = day(1), who = memberId) =>
      store.inStore(async (ctx) => {
        const asked = { memberId: who, amountMinor, reason: 'x', operationId: `t:${++last}`, expiresAt: until }
        return (await reserveCredit(ctx, [asked]))[0]!.reservation!.id
      }),
    release: (id: number) => store.inStore((ctx) => releaseReservation(ctx, memberId, id)),
    capture: (id: number, amountMinor?: number) =>
      store.inStore((ctx) => captureReservation(ctx, memberId, id, amountMinor === undefined ? {} : { amountMinor })),
    restore: (entryId: number, amountMinor?: number, over: object = {}) =>
      store.inStore(async (ctx) => {
        const restored = { type: 'redemption_restored', reason: 'restored', operationId: `t:${++last}` } as const
        const part = amountMinor === undefined ? {} : { amountMinor }
        const [outcome] = await restoreCredit(ctx, [{ entryId, memberId, ...restored, ...part, ...over }])
        return outcome!
      }),
    lots: async (who = memberId) =>
      (await accountOf(store, who)).lots.map(({ remainingMinor, expiresAt }) => [
        remainingMinor,
        expiresAt?.since(at(START)).total('days') ?? null
      ]),
    available: async (who = memberId) => (await store.inStore((ctx) => findCredit(ctx, who))).availableMinor,
    entries,
    totals: () => store.inStore((ctx) => findCreditTotals(ctx, memberId)),
    expire: async () => {
      while ((await engine.runOnce(store.storeId)) > 0);
    },
    isRight: async () => {
      const { findings } = await store.inStore(audit)
      assert.deepEqual(
        findings.filter(({ check }) => check.startsWith('credit_')),
        []
      )
    }
  }
}
