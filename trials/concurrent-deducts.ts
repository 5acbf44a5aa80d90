import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { audit } from '#audit'
import { changeCredits } from '#credits'
import { type Database, int, row, sql } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { upsertCustomers } from '#members'
import { startProcess } from '../test/service-process.ts'
import { aStore } from '../test/store-builder.ts'
import { BESIDE_THE_PLATFORM } from './platform.ts'

export type DeductsTrial = {
  databaseUrl: string
  db: Database
  dataDir: string
  rounds: number
  seed: number
  /**
   * Clients repeat a request that failed, with its key, until it is carried out or refused. Otherwise a failure fails the trial.
   */
  isPatient: boolean
}
export type DeductsReport = { rounds: number; deducted: number; released: number; refused: number; repeated: number }

const PROCESSES = 4
const REQUESTS = 200
/** The customer's credit, of which each request takes one. */
const CREDIT = 100
const MAX_LOTS = 5
const MINOR = 100
/** Of so many requests one reserves first and captures what it has reserved, and of twice as many one releases it. */
const RESERVES_EVERY = 5
/** A store may make 300 requests a minute: what is repeated beyond that has to wait for the next one. */
const PAUSE_MS = 500
const MAX_TRIES = 40
const REFUSAL = 'is more than the available store credit'

type Answer = { status: number; body: string; tries: number }
type Round = { answers: Answer[]; released: number }

/**
 * In each round 200 requests over four processes deduct 1 from a credit of 100 at once, which consists of lots of random size; some
 * of them reserve it first, and then capture or release it. What was released too late for the others is deducted one by one
 * afterwards. Exactly 100 must be carried out, each deduction with a balance of its own, and the others be refused; the entries must sum
 * to the balance, which is zero, nothing may stay reserved, and the auditor must have no findings. Throws otherwise, with the seed of the
 * round.
 */
export async function deductConcurrently(trial: DeductsTrial): Promise<DeductsReport> {
  const { databaseUrl, dataDir } = trial
  const services = await Promise.all(
    Array.from({ length: PROCESSES }, () => startProcess({ databaseUrl, dataDir, env: BESIDE_THE_PLATFORM }))
  )
  const report: DeductsReport = { rounds: trial.rounds, deducted: 0, released: 0, refused: 0, repeated: 0 }
  const urls = services.map(({ url }) => url)
  try {
    for (let round = 0; round < trial.rounds; round++) {
      const seed = trial.seed * 1000 + round
      const { answers, released } = await deductInRound(trial, urls, seed).catch((err) => {
        throw new Error(`Seed ${seed}: ${err.message}`, { cause: err })
      })
      report.deducted += CREDIT
      report.released += released
      report.refused += answers.filter(({ status }) => status !== 200).length
      report.repeated += answers.reduce((sum, { tries }) => sum + tries - 1, 0)
    }
    return report
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

async function deductInRound({ db, isPatient }: DeductsTrial, urls: string[], seed: number): Promise<Round> {
  const random = randomFrom(seed)
  const store = await aStore(db)
  const key = await store.aKey()
  const reported = [{ id: '1', email: 'ada@example.com', firstName: null, lastName: null }]
  const { id } = (await store.inStore((ctx) => upsertCustomers(ctx, reported))).get('1')!
  await store.inStore((ctx) => changeCredits(ctx, lots(id, random, ctx.now)))

  const post = async (path: string, name: string, body: object): Promise<Answer> => {
    for (let tries = 1; ; tries++) {
      const url = urls[Math.floor(random() * urls.length)]!
      const response = await request(`${url}/v1/store-credits/cust_${id}/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': `${seed}-${name}`
        },
        body: JSON.stringify(body)
      })
      const status = response.statusCode
      const text = await response.body.text()
      if (status === 200 || (status === 400 && text.includes(REFUSAL))) return { status, body: text, tries }
      assert.ok(isPatient && tries < MAX_TRIES, `${status}: ${text}`)
      if (status === 429) tries--
      await sleep(random() * PAUSE_MS)
    }
  }
  let released = 0
  const deduct = async (nth: number) => [await post('deduct', `${nth}`, { amount: 1, reason: 'Trial' })]
  const reserve = async (nth: number, end: 'capture' | 'release'): Promise<Answer[]> => {
    const reserved = await post('reservations', `${nth}-reserve`, { amount: 1 })
    if (reserved.status !== 200) return [reserved]
    const ended = await post(`reservations/${JSON.parse(reserved.body).data.id}/${end}`, `${nth}-${end}`, {})
    if (end === 'capture') return [ended]
    assert.equal(ended.status, 200)
    released++
    return []
  }
  const all = Array.from({ length: REQUESTS }, (_, nth) => {
    if (nth % RESERVES_EVERY === 0) return reserve(nth, 'capture')
    return nth % (2 * RESERVES_EVERY) === 1 ? reserve(nth, 'release') : deduct(nth)
  })
  const answers = (await Promise.all(all)).flat()
  for (let nth = REQUESTS; answers.at(-1)!.status === 200 || nth === REQUESTS; nth++)
    answers.push(...(await deduct(nth)))

  const done = answers.filter(({ status }) => status === 200)
  assert.equal(done.length, CREDIT, `${done.length} were carried out`)
  const balances = done.flatMap(({ body }) => JSON.parse(body).data.balance ?? []) as number[]
  assert.equal(new Set(balances).size, balances.length, 'each deduction is answered with the balance that it has left')
  const found = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ balance: int, reserved: int, sum: int, deductions: int }),
      sql`
      select a.balance_minor as balance, a.reserved_minor as reserved, sum(e.amount_minor)::bigint as sum,
             count(*) filter (where e.amount_minor < 0) as deductions
        from credit_accounts a join credit_entries e on e.store_id = ${storeId} and e.member_id = a.member_id
       where a.store_id = ${storeId} and a.member_id = ${id} group by a.store_id, a.member_id`
    )
  )
  assert.deepEqual(found, { balance: 0, reserved: 0, sum: 0, deductions: CREDIT })
  assert.deepEqual((await store.inStore(audit)).findings, [])
  return { answers, released }
}

/** Additions that sum to the credit; some of it expires, on days to come. */
function lots(memberId: number, random: () => number, now: Temporal.Instant) {
  const sizes: number[] = []
  let left = CREDIT * MINOR
  while (sizes.length < MAX_LOTS - 1 && left > 1) {
    const size = 1 + Math.floor(random() * (left - 1))
    sizes.push(size)
    left -= size
  }
  return [...sizes, left].map((amountMinor, nth) => ({
    memberId,
    type: 'manual_add' as const,
    amountMinor,
    reason: 'Trial',
    operationId: `trial:${nth}`,
    expiresAt: random() < 0.5 ? now.add({ hours: 24 * (1 + Math.floor(random() * 9)) }) : null
  }))
}
