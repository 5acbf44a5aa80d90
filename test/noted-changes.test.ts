// Which orders a fact notes as changed by itself, and when: each fact is handled alone, so that no other one notes the same order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportsConsumer } from '#exports'
import { publicId } from '#kit/ids'
import { StoredFact } from '#kit/outbox'
import { sql } from '#kit/postgres'
import { testServer } from '../src/http/server.test-helper.ts'
import { testDatabase } from './database.ts'
import { aStoreOfOne } from './meant-rows.ts'

const { db } = await testDatabase()
const { app } = testServer(db)
const TODAY = '2026-06-15'

async function aShop() {
  const shop = await aStoreOfOne(db, app)
  const { store, memberId } = shop
  /** Handles a fact as if it came at this time, today when left out. */
  const note = (fact: StoredFact, at?: string) =>
    store.inStore((ctx) =>
      exportsConsumer.handle({ ...ctx, now: at ? Temporal.Instant.from(at) : ctx.now }, [fact], { isRepeat: false })
    )
  const changed = async (day = TODAY) =>
    (await shop.page('orders', { since_updated: day })).data.map(({ order_name: name }) => name)
  const anOrder = async (name: string) => await shop.order({ member_id: memberId, name })
  const aFact = (name: string, fields: Partial<StoredFact>): StoredFact => ({
    id: 1,
    position: 1,
    name,
    orderingKey: `member:${memberId}`,
    data: '{}',
    refs: {},
    occurredAt: Temporal.Instant.from('2026-01-05T12:00:00Z'),
    ...fields
  })
  return { ...shop, note, changed, anOrder, aFact }
}

test('credit that was spent on an order, or that came back, notes that order and no other', async () => {
  const { store, memberId, credit, anOrder, note, changed } = await aShop()
  const [spent, restored] = [await anOrder('spent'), await anOrder('restored')]
  await anOrder('other')
  /** Changes credit, and notes what the fact of that entry says. */
  const noteCredit = async (fields: Parameters<typeof credit>[0]) => {
    const id = await credit({ memberId, ...fields })
    const fact = await store.inStore(({ tx, storeId }) =>
      tx.one(
        StoredFact,
        sql`
        select id, coalesce(position, id) as position, name, ordering_key, data, refs, occurred_at from facts
         where store_id = ${storeId} and (refs ->> 'creditEntryId')::bigint = ${id}`
      )
    )
    await note(fact)
    return { id, fact: fact.name }
  }
  assert.equal((await noteCredit({ type: 'import', amountMinor: 5000 })).fact, 'store_credit.added')
  assert.deepEqual(await changed(), [])
  const redeemed = await noteCredit({ type: 'redemption', amountMinor: -900, orderId: spent })
  assert.equal(redeemed.fact, 'store_credit.deducted')
  assert.deepEqual(await changed(), ['spent'])
  const before = await credit({ memberId, type: 'redemption', amountMinor: -800, orderId: restored })
  assert.deepEqual(await changed(), ['spent'])
  const back = { type: 'redemption_restored', amountMinor: 300, orderId: restored, reversesId: before } as const
  assert.equal((await noteCredit(back)).fact, 'store_credit.added')
  assert.deepEqual(await changed(), ['spent', 'restored'])
})

test('a billing attempt notes the order that paid its cycle, not those of other cycles and contracts', async () => {
  const { memberId, subscription, attempt, link, anOrder, note, changed, aFact } = await aShop()
  const noted: string[] = []
  for (const name of ['billing.pending', 'billing.success', 'billing.failed', 'billing.retry_scheduled']) {
    const subscription_id = await subscription({ member_id: memberId })
    const completed_at = '2026-02-01T12:00:00Z'
    const paid = async (order: string, cycle_index: number, contract = subscription_id) => {
      const attempt_id = await attempt({ subscription_id: contract, cycle_index, attempt_number: 2, completed_at })
      await link({ order_id: await anOrder(order), subscription_id: contract, attempt_id })
    }
    const failed = await attempt({ subscription_id, status: 'failed', error_code: 'card_declined', completed_at })
    await paid(name, 2)
    await paid('the next cycle', 3)
    await paid('another contract', 2, await subscription({ member_id: memberId }))
    await note(aFact(name, { data: JSON.stringify({ billing_attempt_id: publicId('ba', failed) }) }))
    noted.push(name)
    assert.deepEqual(await changed(), noted)
  }
})

test('a change time never goes back, whatever time it is noted at later', async () => {
  const { anOrder, note, changed, aFact } = await aShop()
  const orderId = await anOrder('again')
  const fact = aFact('order.effects_changed', { refs: { orderId } })
  await note(fact, '2026-06-10T12:00:00Z')
  assert.deepEqual([await changed('2026-06-10'), await changed('2026-06-11')], [['again'], []])
  await note(fact, '2026-06-14T12:00:00Z')
  assert.deepEqual([await changed('2026-06-14'), await changed('2026-06-15')], [['again'], []])
  await note(fact, '2026-06-12T12:00:00Z')
  assert.deepEqual(await changed('2026-06-14'), ['again'])
})
