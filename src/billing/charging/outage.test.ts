// The platform cannot be reached for hours: when it is back, what is due is charged within an eighth of that time, and once.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import type { Connector } from '#platform'
import { setClock } from '#stores'
import { startChargingPlatform } from '../../../test/charging-platform.ts'
import { connectorTo } from '../../../test/connectors.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { createBillingEngine } from '../billing-engine.ts'

const { db } = await testDatabase()
const DUE = Temporal.Instant.from('2026-02-28T15:00:00Z')
const SUBSCRIPTIONS = 2
const OUTAGE_HOURS = 2

/** A server that answers every call with this status. */
async function answering(status: number): Promise<string> {
  const server = createServer((_req, res) => res.writeHead(status).end()).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Charges on a platform at `url` for two hours, and then on one that works. Returns after how many minutes all are charged. */
async function chargedAfterOutage(url: string): Promise<{ minutes: number; tries: number; charges: number[] }> {
  const { storeId, inStore } = await aDueStore(db, { subscriptions: SUBSCRIPTIONS, dueAt: DUE })
  const platform = await startChargingPlatform()
  after(() => platform.close())
  const to = (address: string) => connectorTo({ storeId, profile: 'platform', url: address, accessToken: `${storeId}` })
  let connector: Connector = to(url)
  const engine = createBillingEngine({ db, leaseOwner: 1, connectorOf: async () => connector })
  const counts = () =>
    inStore(({ tx }) =>
      tx.one(
        row({ open: int, tries: int }),
        sql`select count(*) filter (where status = 'pending') as open, coalesce(sum(lease_token), 0)::int as tries
              from billing_attempts where store_id = ${storeId}`
      )
    )
  /** Does what is due, step by step, until then or until nothing is open. */
  const walk = async (until: Temporal.Instant): Promise<Temporal.Instant> => {
    for (let now = DUE; ; ) {
      for (let done = 1; done > 0; ) done = await engine.runOnce(storeId)
      await engine.endUnderWay!(storeId)
      const next = await engine.nextDueAt(storeId)
      const isOver = (await counts()).open === 0 || next === null || Temporal.Instant.compare(next, until) > 0
      if (isOver) return now
      now = next
      await inStore((ctx) => setClock(ctx, now))
    }
  }
  const back = DUE.add({ hours: OUTAGE_HOURS })
  await walk(back)
  const { open, tries } = await counts()
  assert.equal(open, SUBSCRIPTIONS)
  await inStore((ctx) => setClock(ctx, back))
  connector = to(platform.url)
  const last = await walk(back.add({ hours: 24 }))
  assert.equal((await counts()).open, 0)
  return { minutes: last.since(back).total('minutes'), tries, charges: [...platform.charges.values()] }
}

test('after an outage of two hours every due charge is made within a quarter of an hour, and once: whether nothing arrived or nobody knows', async () => {
  for (const [what, url] of [
    ['refused', 'http://127.0.0.1:9'],
    ['401', await answering(401)],
    // The charge may have arrived; then it is the search for it that fails.
    ['504', await answering(504)]
  ] as const) {
    const { minutes, tries, charges } = await chargedAfterOutage(url)
    assert.ok(minutes <= 15, `${what}: ${minutes} minutes`)
    // Meanwhile each was tried every few minutes at most.
    assert.ok(tries < SUBSCRIPTIONS * 40, `${what}: ${tries} tries`)
    assert.deepEqual(charges, Array(SUBSCRIPTIONS).fill(1), what)
  }
})
