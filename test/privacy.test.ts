// The data of a person is erased everywhere, on request of the platform or of an operator, and does not come back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { lockDueRequest } from '../src/privacy/queries.ts'
import { beginErasure } from '../src/privacy/begin-erasure.ts'
import { HOLDERS } from '../src/privacy/erase-person.ts'
import { testDatabase } from './database.ts'
import { aPersonWithEverything, sumsOf } from './person-with-everything.ts'
import { startService } from './service-builder.ts'
import { tracesIn, tracesInDatabase } from './traces.ts'

const { url } = await testDatabase()
const logged: string[] = []
const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
const service = await startService(url, { logger } as never)

/** They have nothing of hers that would have to go, or lose it with the beginning. */
const BEGUN_WITH = ['members', 'jobs', 'privacy_exports', 'spending_gift_cards', 'platform_credit_transactions']

test('a person of whom every table has something is erased from all of them', async () => {
  const her = await aPersonWithEverything(service)
  const before = await sumsOf(her)
  const found = await tracesInDatabase(url, her.wanted)
  console.log(Object.fromEntries(Object.entries(found).map(([t, r]) => [t, r.length])))
  await her.page('customers'); await her.page('orders')
  await service.sandbox.controls.sendCompliance({ storeId: her.storeId, topic: 'customers/redact', customerId: her.customer })
  await her.settle()
  await her.store.advance({ by: 'PT1H' })
  console.log(await her.inStore(({ tx, storeId }) => tx.many(((r: unknown) => r) as never, { name: '', text: 'select * from privacy_requests where store_id = $1', values: [storeId] })))
  const left = await tracesInDatabase(url, her.wanted)
  console.log(JSON.stringify(left, null, 1).slice(0, 4000))
  assert.deepEqual(await sumsOf(her), before)
  for (const name of ['customers', 'members', 'orders', 'subscriptions', 'credits_history']) console.log(name, tracesIn(await her.page(name).catch(String), her.wanted))
  console.log('logs', tracesIn(logged.join(''), her.wanted))
  console.log((await service.deps.doctor(her.storeId) as any))
})
