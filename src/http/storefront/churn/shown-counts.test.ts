import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { int, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../../../test/database.ts'
import { awayWhile } from '../../../../test/failing-database.ts'
import { aStore } from '../../../../test/store-builder.ts'
import { until } from '../../../../test/until.ts'
import { createShownCounts } from './shown-counts.ts'

const { db } = await testDatabase()
const logger = pino({ level: 'silent' })
const Shown = row({ alias: text, offerId: int, times: int })

const shownIn = async (storeId: number) =>
  (
    await db.inStore(storeId, ({ tx }) =>
      tx.many(
        Shown,
        sql`select alias, offer_id, times from churn_shown where store_id = ${storeId} order by alias, offer_id`
      )
    )
  ).map(({ alias, offerId, times }) => [alias, offerId, times])

const ANSWER = [
  { reason: { alias: 'too_expensive' as const }, offers: [{ offer: { id: 7 } }, { offer: { id: 8 } }] },
  { reason: { alias: 'other' as const }, offers: [] }
]

test('what is shown is written by itself, and what a stop finds is written before it ends', async () => {
  const [one, other] = [await aStore(db), await aStore(db)]
  const shown = createShownCounts({ db, logger })
  shown.count(one.storeId, ANSWER)
  shown.count(one.storeId, ANSWER)
  await until('it is written', async () => (await shownIn(one.storeId)).length > 0)
  shown.count(one.storeId, ANSWER)
  shown.count(other.storeId, ANSWER)
  await shown.close()
  const written = (times: number) => [
    ['other', 0, times],
    ['too_expensive', 7, times],
    ['too_expensive', 8, times]
  ]
  assert.deepEqual(await shownIn(one.storeId), written(3))
  assert.deepEqual(await shownIn(other.storeId), written(1))
})

test('what the database does not take is written once it does, once', async () => {
  const { storeId } = await aStore(db)
  let [isAway, tries] = [true, 0]
  const shown = createShownCounts({
    logger,
    db: awayWhile(db, () => {
      tries++
      return isAway
    })
  })
  shown.count(storeId, ANSWER)
  await until('it was tried', () => tries > 0)
  shown.count(storeId, ANSWER)
  isAway = false
  await until('it is written', async () => (await shownIn(storeId)).length > 0)
  await shown.close()
  assert.deepEqual(await shownIn(storeId), [
    ['other', 0, 2],
    ['too_expensive', 7, 2],
    ['too_expensive', 8, 2]
  ])
})
