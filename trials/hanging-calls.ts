import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode } from '#kit/engines'
import { Database, int, row, sql } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { createConnectors } from '#platform'
import { createRenewalRunner } from '../bench/renewal-runner.ts'
import { startChargingPlatform } from '../test/charging-platform.ts'
import { aDueStore } from '../test/due-store.ts'

const DUE = Temporal.Instant.from('2026-02-28T15:00:00Z')
/** So long that most of a run is waiting for the platform, also on a busy machine. */
const LATENCY_MS = 200
/** The first seconds of each part are not counted. */
const WARM_UP_S = 5
/** What hangs ends by the time limit of its call, before the next part begins. */
const HANGS_S = 31
const MIN_RATIO = 0.5
/** How many calls at once the platform answers while it throttles; of the others it may refuse so many for each that it answers. */
const AT_ONCE = 4
const MAX_THROTTLED = 0.6

/** `calmS`, `disturbedS`: the seconds of each part. `share`: the part of the calls that hang. */
export type HangingCalls = {
  databaseUrl: string
  seed: number
  subscriptions: number
  calmS: number
  disturbedS: number
  share: number
}

/**
 * Renews the subscriptions of a store on a platform of which some calls hang for 30 seconds, between two parts without disturbance.
 * Meanwhile another store of the same process is on a platform that answers nothing, and a third one, which falls due then, is on
 * the same host. In the end the platform throttles. Throws unless the rate stays at least half, the third store is charged, each
 * charge is asked for once, and fewer calls are sent while the platform throttles.
 */
export async function hangCalls({ databaseUrl, seed, subscriptions, calmS, disturbedS, share }: HangingCalls) {
  const random = randomFrom(seed)
  const platform = await startChargingPlatform({ latencyMs: LATENCY_MS })
  const db = new Database({ url: databaseUrl })
  const connectors = createConnectors()
  const node = await startNode(db)
  const connectorOf = async (storeId: number) =>
    connectors.to({ storeId, profile: 'platform', url: platform.url, accessToken: `${storeId}` })
  const errors: unknown[] = []
  const runner = createRenewalRunner({ db, node, connectorOf, onError: (err) => void errors.push(err) })
  try {
    const store = await aDueStore(db, { subscriptions, dueAt: DUE })
    const paidIn = async ({ storeId, inStore }: typeof store) =>
      (
        await inStore(({ tx }) =>
          tx.one(
            row({ n: int }),
            sql`select count(*) as n from billing_attempts where store_id = ${storeId} and status = 'success'`
          )
        )
      ).n
    const counts = async () => ({
      paid: await paidIn(store),
      pushed: platform.answered('ContractSetNextBillingDate'),
      answered: platform.answered('BillingAttemptCreate') + platform.answered('ContractSetNextBillingDate'),
      throttled: platform.throttled()
    })
    const measure = async (seconds: number) => {
      await sleep(WARM_UP_S * 1000)
      const [before, from] = [await counts(), performance.now()]
      await sleep(seconds * 1000)
      const [after, passedS] = [await counts(), (performance.now() - from) / 1000]
      const perSecond = (what: keyof typeof after) => (after[what] - before[what]) / passedS
      return {
        paid: perSecond('paid'),
        pushed: perSecond('pushed'),
        throttledShare: (after.throttled - before.throttled) / Math.max(1, after.answered - before.answered)
      }
    }

    runner.start()
    const first = await measure(calmS)
    // Every other store is silent, until there is one.
    const hangsFor = (isSilent: (token: string) => boolean) => {
      platform.control.hangs = ({ token }) => isSilent(token) || (token === `${store.storeId}` && random() < share)
    }
    hangsFor((token) => token !== `${store.storeId}`)
    const silent = await aDueStore(db, { subscriptions: 300, dueAt: DUE })
    hangsFor((token) => token === `${silent.storeId}`)
    const other = await aDueStore(db, { subscriptions: 300, dueAt: DUE })
    for (const { storeId } of [silent, other]) runner.wake(storeId)
    const disturbed = await measure(disturbedS)
    const [ofSilent, ofOther] = [await paidIn(silent), await paidIn(other)]
    const hanging = platform.hanging()
    platform.control.hangs = ({ token }) => token === `${silent.storeId}`
    await sleep(HANGS_S * 1000)
    const second = await measure(calmS)
    // Those that are throttled are asked for again, and rightly.
    const askedAgain = [...platform.charges.values()].filter((times) => times > 1).length
    platform.control.atOnce = AT_ONCE
    const throttled = await measure(calmS)
    const areEnough = (await paidIn(store)) < subscriptions * 0.95

    const ratioOf = (what: 'paid' | 'pushed') =>
      Number((disturbed[what] / ((first[what] + second[what]) / 2)).toFixed(2))
    const report = {
      hangingShare: share,
      renewalsPerSecond: [first, disturbed, second, throttled].map(({ paid }) => Math.round(paid)),
      pushesPerSecond: [first, disturbed, second, throttled].map(({ pushed }) => Math.round(pushed)),
      ratio: ratioOf('paid'),
      ratioOfPushes: ratioOf('pushed'),
      hangingAtTheEnd: hanging,
      chargedInTheOtherStore: ofOther,
      throttledPerAnswered: Number(throttled.throttledShare.toFixed(2)),
      requested: platform.charges.size
    }
    const said = JSON.stringify(report)
    assert.ok(areEnough, `there were too few subscriptions: ${said}`)
    assert.ok(hanging > 0 && ofSilent === 0, `nothing hung: ${said}`)
    assert.ok(report.ratio >= MIN_RATIO, `calls that hang have held up other charges: ${said}`)
    assert.ok(report.ratioOfPushes >= MIN_RATIO, `calls that hang have held up other pushes: ${said}`)
    assert.equal(ofOther, 300, `a store whose platform does not answer has held up another: ${said}`)
    assert.equal(askedAgain, 0, `a charge was asked for twice: ${said}`)
    assert.ok(report.throttledPerAnswered <= MAX_THROTTLED, `no fewer calls while the platform throttles: ${said}`)
    assert.deepEqual(errors, [], said)
    return report
  } finally {
    connectors.cutOff()
    await runner.stop()
    await node.stop()
    platform.close()
    await db.close()
  }
}
