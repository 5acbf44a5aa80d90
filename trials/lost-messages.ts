import assert from 'node:assert/strict'
import { audit } from '#audit'
import { row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import type { Connector } from '#platform'
import { reconcileNow } from '#sync'
import { startPlatform } from './platform.ts'

export type MessagesTrial = { databaseUrl: string; runs: number; subscriptions: number; seed: number }
export type MessagesReport = { runs: number; happenings: number; charges: number }

type Platform = Awaited<ReturnType<typeof startPlatform>>

/** From 31 January over two monthly renewals. */
const ROUNDS = 4
const ROUND = 'P16D'
const FAULTS = { drop: 0.3, duplicate: 0.3, late: 0.3, delayHours: 24, shuffle: true }
/** A run mostly waits for statements, so several run concurrently. */
const AT_ONCE = 6

/**
 * Makes the same changes on the platform for two stores: renewals, contracts paused, resumed and cancelled by the merchant, renamed
 * customers. One store receives all messages in order; for the other 30 % are dropped, 30 % duplicated, 30 % a day late, and all
 * are reordered. After a reconciliation both must have the same state; only the billed cycles may differ, if the message of a pause
 * or its end arrived after the date. Each run has its own seed. Throws with all failing seeds.
 */
export async function loseMessages(trial: MessagesTrial): Promise<MessagesReport> {
  const platform = await startPlatform(trial.databaseUrl, null)
  const report: MessagesReport = { runs: trial.runs, happenings: 0, charges: 0 }
  const failures: Error[] = []
  const seeds = Array.from({ length: trial.runs }, (_, run) => trial.seed + run)
  const work = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      try {
        const { happenings, charges } = await loseOnce(platform, trial.subscriptions, seed)
        report.happenings += happenings
        report.charges += charges
      } catch (err) {
        failures.push(new Error(`Seed ${seed}: ${(err as Error).message}`, { cause: err }))
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    await platform.close()
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'))
  return report
}

async function loseOnce(platform: Platform, subscriptions: number, seed: number) {
  const inOrder = await platform.aStore(`in-order-${seed}.example`, subscriptions)
  const spoilt = await platform.aStore(`spoilt-${seed}.example`, subscriptions)
  await platform.controls.setWebhookFaults({ storeId: spoilt, faults: { ...FAULTS, seed } })
  const random = randomFrom(seed)
  const rounds = Array.from({ length: ROUNDS }, () => happenings(subscriptions, random))
  await Promise.all(
    [inOrder, spoilt].map(async (storeId) => {
      const connector = await platform.connectorOf(storeId)
      for (const round of rounds) {
        for (const happening of round) await happening(connector)
        await platform.deps.advanceClock(storeId, { by: ROUND })
      }
      await platform.controls.setWebhookFaults({ storeId, faults: null })
      // Late messages arrive, and what depends on the first reconciliation is found by the second.
      for (const by of ['P3D', 'P1D']) {
        await platform.deps.advanceClock(storeId, { by })
        await platform.db.inStore(storeId, reconcileNow)
        await platform.deps.settle(storeId)
      }
      assert.deepEqual((await platform.db.inStore(storeId, audit)).findings, [])
    })
  )
  assert.deepEqual(await stateOf(platform, spoilt), await stateOf(platform, inOrder))
  const charges = await platform.controls.charges(spoilt)
  assert.equal(new Set(charges.map((c) => `${c.contractId}:${c.periodAt}`)).size, charges.length)
  return { happenings: rounds.flat().length, charges: charges.length }
}

function stateOf({ db }: Platform, storeId: number) {
  return db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ contract: text, status: text, due: text, name: text, member: text }),
      sql`
      select s.platform_contract_id as contract, s.status, coalesce(s.next_billing_at::text, '') as due,
             coalesce(m.first_name, '') as name, m.status as member
        from subscriptions s join members m on m.store_id = ${storeId} and m.id = s.member_id
       where s.store_id = ${storeId} order by s.platform_contract_id collate "C"`
    )
  )
}

type Happening = (connector: Connector) => Promise<unknown>

/** The changes of other people on the platform before the next days pass. */
function happenings(subscriptions: number, random: () => number): Happening[] {
  return Array.from({ length: subscriptions }, (_, i) => String(900_000_001 + i)).flatMap((id): Happening[] => {
    const dice = random()
    if (dice < 0.15) return [(platform) => platform.contracts.pause(id)]
    if (dice < 0.35) return [(platform) => platform.contracts.activate(id)]
    if (dice < 0.38) return [(platform) => platform.contracts.cancel(id)]
    if (dice < 0.55) {
      const firstName = `Ada ${Math.floor(random() * 1000)}`
      return [(platform) => platform.customers.update([{ id, firstName }])]
    }
    return []
  })
}
