import assert from 'node:assert/strict'
import { row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { type Connector, reconcileNow } from '#platform'
import { audit } from '#reports'
import { startPlatform } from './platform.ts'

export type MessagesTrial = { databaseUrl: string; runs: number; subscriptions: number; seed: number }
export type MessagesReport = { runs: number; happenings: number; charges: number }

const ROUNDS = 6
const FAULTS = { drop: 0.3, duplicate: 0.3, late: 0.3, delayHours: 24, shuffle: true }

/**
 * The same things happen on the platform to two stores: renewals, contracts stopped, started and ended by the shop's people,
 * customers who change their names. One hears of it in order; of the other's messages 30 % are dropped, 30 % doubled, 30 % a
 * day late, and all shuffled. After a look at the platform both are in the same state; only which cycles were billed may differ, where
 * news of a pause or of its end came after the date. Throws where they are not.
 */
export async function loseMessages(trial: MessagesTrial): Promise<MessagesReport> {
  const platform = await startPlatform(trial.databaseUrl, null)
  const report: MessagesReport = { runs: trial.runs, happenings: 0, charges: 0 }
  try {
    for (let run = 0; run < trial.runs; run++) {
      const seed = trial.seed + run
      const [inOrder, spoilt] = [
        await platform.aStore(`in-order-${seed}.example`, trial.subscriptions),
        await platform.aStore(`spoilt-${seed}.example`, trial.subscriptions)
      ]
      await platform.controls.setWebhookFaults({ storeId: spoilt, faults: { ...FAULTS, seed } })
      const random = randomFrom(seed)
      for (let round = 0; round < ROUNDS; round++) {
        for (const happening of happenings(trial.subscriptions, random)) {
          report.happenings++
          for (const storeId of [inOrder, spoilt]) await happening(await platform.connectorOf(storeId))
        }
        for (const storeId of [inOrder, spoilt]) await platform.deps.advanceClock(storeId, { by: 'P12D' })
      }
      await platform.controls.setWebhookFaults({ storeId: spoilt, faults: null })
      for (const storeId of [inOrder, spoilt]) {
        // What was late comes, and what hangs on a first look is found by the second.
        for (const by of ['P3D', 'P1D']) {
          await platform.deps.advanceClock(storeId, { by })
          await platform.db.inStore(storeId, reconcileNow)
          await platform.deps.settle(storeId)
        }
        assert.deepEqual((await platform.db.inStore(storeId, audit)).findings, [], `seed ${seed}`)
      }
      assert.deepEqual(await stateOf(spoilt), await stateOf(inOrder), `seed ${seed}`)
      const charges = await platform.controls.charges(spoilt)
      assert.equal(new Set(charges.map((c) => `${c.contractId}:${c.cycleIndex}`)).size, charges.length)
      report.charges += charges.length
    }
    return report
  } finally {
    await platform.close()
  }

  function stateOf(storeId: number) {
    return platform.db.inStore(storeId, ({ tx }) =>
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
}

type Happening = (connector: Connector) => Promise<unknown>

/** What other people do on the platform before the next days pass. */
function happenings(subscriptions: number, random: () => number): Happening[] {
  return Array.from({ length: subscriptions }, (_, i) => String(900_000_001 + i)).flatMap((id): Happening[] => {
    const dice = random()
    if (dice < 0.15) return [(platform) => platform.pauseContract(id)]
    if (dice < 0.35) return [(platform) => platform.activateContract(id)]
    if (dice < 0.38) return [(platform) => platform.cancelContract(id)]
    if (dice < 0.55) {
      const firstName = `Ada ${Math.floor(random() * 1000)}`
      return [(platform) => platform.updateCustomers([{ id, firstName }])]
    }
    return []
  })
}
