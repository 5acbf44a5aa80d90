import assert from 'node:assert/strict'
import { randomFrom } from '#kit/random'
import { movePlatform } from '#stores'
import { createEndpoint } from '#webhooks'
import { type ChargeFaults, UNKIND } from '../sandbox/index.ts'
import { aFaultyConnection, type Fault } from '../test/faulty-connection.ts'
import { freePort, startProcess } from '../test/service-process.ts'
import { testVault } from '../test/store-builder.ts'
import { until } from '../test/until.ts'
import { examineCharges, examineRenewals } from './examine-renewals.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from './platform.ts'
import { aTlsReceiver } from './receiver.ts'

const DOMAIN = 'kill-trial.example'

export type KillTrial = {
  databaseUrl: string
  dataDir: string
  subscriptions: number
  kills: number
  seed: number
  /** Shares of charges whose result is wrong, late or missing; left out: those of `WRONG_RESULTS`. */
  wrong?: Partial<ChargeFaults>
  /** The share of the calls that arrive late, and then so late that the next process is there before; left out: that of `LINE_FAULTS`. */
  slow?: number
}
export type KillReport = {
  kills: number
  killedUnderWay: number
  spoiltCalls: Partial<Record<Fault, number>>
  /** By what the platform did with a charge. */
  outcomes: Record<string, number>
  charged: number
  events: number
  posts: number
  repeated: number
}

/** Of the calls to the platform. What arrives late may do so after its process was killed. */
export const LINE_FAULTS = { lost: 0.02, hung: 0.01, slow: 0.03, '503': 0.01 }
/** Where `slow` is given: how late those calls are, and how long a call may last. */
const LATE = { slowMs: 6_000, timeoutSeconds: '8', underWay: 10 }
/** Keys are forgotten at once, since the clock stands still while a killed process is replaced. */
const FAULTS: ChargeFaults = { ...UNKIND, keyMinutes: 0 }
export const WRONG_RESULTS: ChargeFaults = {
  never: 0.005,
  late: 0.03,
  reversed: 0.02,
  corrected: 0.02,
  reportedFailed: 0.02
}
/** Until then the last retry of a charge that was reported as failed is due, and has found it paid. */
export const SETTLED_BY = '2026-03-03T15:00:00Z'

/**
 * Kills the service with SIGKILL at random moments of a renewal run and starts it again, over a connection to the platform that loses
 * 2 % of the responses, times out for 1 %, delivers 3 % of the calls late and returns 503 for 1 %. The platform protects nobody: it pays a second key of a cycle,
 * forgets keys at once, numbers cycles anew with every edit, and of some charges the result is late, wrong at first,
 * taken back or missing. In the end the platform must have made one charge of every contract, under one key, by its orders; what
 * was paid must be recorded once, every event delivered, and the auditor must have no findings. Throws otherwise.
 */
export async function killDuringRenewals(trial: KillTrial): Promise<KillReport> {
  const random = randomFrom(trial.seed)
  // Over TLS, since the service does not run in sandbox mode.
  const receiver = await aTlsReceiver()
  const port = await freePort()
  const platform = await startPlatform(trial.databaseUrl, `http://127.0.0.1:${port}`)
  const line = await aFaultyConnection({
    target: platform.url,
    shares: { ...LINE_FAULTS, slow: trial.slow ?? LINE_FAULTS.slow },
    seed: trial.seed,
    ...(trial.slow !== undefined && { slowMs: LATE.slowMs })
  })
  const limit: Record<string, string> =
    trial.slow === undefined ? {} : { PLATFORM_TIMEOUT_SECONDS: LATE.timeoutSeconds }
  const start = () => startProcess({ ...trial, port, env: { ...BESIDE_THE_PLATFORM, ...limit } })
  let service: Awaited<ReturnType<typeof start>> | null = null
  try {
    const storeId = await platform.aStore(DOMAIN, trial.subscriptions)
    const faults = { ...FAULTS, ...(trial.wrong ?? WRONG_RESULTS), seed: trial.seed }
    await platform.controls.setChargeFaults({ storeId, faults })
    const settings = { vault: testVault, addresses: { loopback: false, allow: ['127.0.0.0/8'] } }
    receiver.secret = (await createEndpoint(platform.db, storeId, { url: receiver.url }, settings)).secret
    await movePlatform(platform.db, storeId, `${line.url}/${DOMAIN}`)

    const advance = `/stores/store_${storeId}/clock/advance`
    let killedUnderWay = 0
    for (let kill = 0; kill < trial.kills; kill++) {
      service = await start()
      const advanced = service.call('POST', advance, { to: '2026-02-28T15:00:00Z' }).then(
        () => true,
        () => false
      )
      // The times between kills add up to more than the run, so that kills affect every part of it.
      const pause = Math.floor(random() * 60 * Math.sqrt(trial.subscriptions))
      if (trial.slow === undefined) await new Promise((resolve) => setTimeout(resolve, pause))
      else await manyAreUnderWay(line.faults)
      await service.kill()
      if (!(await advanced)) killedUnderWay++
    }
    service = await start()
    const { now } = await service.call('POST', advance, { to: SETTLED_BY })
    assert.equal(now, Temporal.Instant.from(SETTLED_BY).toString({ fractionalSecondDigits: 3 }))
    const { subscriptions, databaseUrl } = trial
    const charges = await examineCharges(platform, storeId, subscriptions)

    const diagnosis = await service.call('POST', '/doctor', {})
    assert.deepEqual(diagnosis.findings, [])
    assert.deepEqual(receiver.odd, [])
    const { lost, hung, slow, '503': refused } = line.faults
    return {
      kills: trial.kills,
      killedUnderWay,
      spoiltCalls: { lost, hung, slow, '503': refused },
      outcomes: charges.outcomes,
      ...(await examineRenewals({ databaseUrl, storeId, subscriptions, posts: receiver.posts, charges }))
    }
  } finally {
    await service?.kill()
    line.close()
    receiver.close()
    await platform.close()
  }
}

/** Waits until so many more calls are late that some of them are charges. */
async function manyAreUnderWay(faults: Record<'slow', number>): Promise<void> {
  const before = faults.slow
  await until('late calls are under way', () => faults.slow >= before + LATE.underWay)
}
