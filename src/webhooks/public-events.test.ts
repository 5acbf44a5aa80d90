import assert from 'node:assert/strict'
import { glob } from 'node:fs/promises'
import { test } from 'node:test'
import { Type } from 'typebox'
import { consumer, createFactEngines, defineFact, definePublicFact, type Fact, record } from '#kit/outbox'
import { testDatabase } from '../../test/database.ts'
import { enginesInTurn } from '../../test/engines-in-turn.ts'
import { consumers } from '../app/consumers.ts'
import { listDeliveries } from './history/list-deliveries.ts'
import { openListener } from './listeners/open-listener.ts'
import { EVENT_TYPES, eventOfFact, PUBLIC_FACTS } from './public-events.ts'
import { queueDeliveries } from './queue/queue-deliveries.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from './receiver.test-helper.ts'

const { db } = await testDatabase()

const snapshot = (id: number) => ({ orderingKey: `member:${id}` as const, data: { member_id: `mem_${id}` } })
const mirrorStale = defineFact('member.mirror_stale', snapshot)
/** Has a schema, and no line in the table. */
const unlisted = definePublicFact('member.unlisted', { data: Type.Object({ member_id: Type.String() }) }, snapshot)
/** The name of an event type, but no fact of ours has it. */
const lookalike: Fact = { ...mirrorStale(1), name: 'constructor' }

test('every event type is made from a fact, and each fact becomes one event', () => {
  assert.deepEqual(PUBLIC_FACTS.map(eventOfFact), EVENT_TYPES)
  for (const { name } of [mirrorStale(1), unlisted(1), lookalike]) assert.equal(eventOfFact(name), null)
})

test('a module declares no event that the table of public events lacks', async () => {
  const declared: string[] = []
  for await (const file of glob('src/*/events/*.ts', { exclude: ['**/*.test.ts', 'src/resources/**'] })) {
    const exported = await import(new URL(`../../${file}`, import.meta.url).href)
    for (const value of Object.values<any>(exported)) if (value?.event) declared.push(value.factName)
  }
  assert.deepEqual(declared.sort(), [...PUBLIC_FACTS].sort())
})

for (const [how, chosen] of Object.entries({
  'through the consumers of the service': consumers,
  'even when the consumer is given it': [
    consumer('webhooks', [...PUBLIC_FACTS, mirrorStale.factName, unlisted.factName, lookalike.name], queueDeliveries, {
      from: 'now'
    })
  ]
})) {
  test(`an internal fact never reaches an endpoint that accepts every type, ${how}`, async () => {
    const receiver = await aReceiver()
    const store = await aSendingStore(db)
    await store.anEndpoint({ url: receiver.url })
    const listener = await store.inStore((ctx) => openListener(ctx, {}, testSettings))
    await store.inStore((ctx) => record(ctx, mirrorStale(1), lookalike, aFact(1), unlisted(1), mirrorStale(2)))

    const engine = enginesInTurn(createFactEngines({ db, consumers: chosen }))
    while ((await engine.runOnce(store.storeId)) > 0);
    await store.settle()
    assert.deepEqual(
      receiver.received.map(({ body }) => JSON.parse(body).event),
      ['subscription.paused']
    )
    const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { endpoint: listener.id, limit: 10 }))
    assert.deepEqual(
      deliveries.map(({ event }) => event),
      ['subscription.paused']
    )
    assert.equal(await engine.nextDueAt(store.storeId), null)
  })
}
