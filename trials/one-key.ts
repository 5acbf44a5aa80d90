import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { request } from 'undici'
import { audit } from '#audit'
import { changeCredits } from '#credits'
import type { Database } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { upsertCustomers } from '#members'
import { freePort, startProcess } from '../test/service-process.ts'
import { aStore, type BuiltStore } from '../test/store-builder.ts'
import { BESIDE_THE_PLATFORM } from './platform.ts'

export type OneKeyTrial = { databaseUrl: string; db: Database; dataDir: string; rounds: number; seed: number }
export type OneKeyReport = {
  rounds: number
  kills: number
  /** Requests that had no response, and were repeated. */
  unanswered: number
  refused: number
}

const REQUESTS = 50
/** Of these, so many at most have another body. */
const MAX_CHANGED = 10
/** A kill at a random moment comes within so long after the first request; most rounds take about as long. */
const KILL_WITHIN_MS = 150
const AGAIN_AFTER_MS = 20
const MAX_TRIES = 500

/** Every round is one of these in turns: nobody dies, or a process, at a random moment or as soon as the effect can be seen. */
const DEATHS = ['none', 'at random', 'none', 'after the effect'] as const

type Process = Awaited<ReturnType<typeof startProcess>>
type Answer = { status: number; isReplayed: boolean; body: string; isChanged: boolean; unanswered: number }

/** A request that has one effect; `changed` is another request under the same key. */
type Action = { path: string; body: object; changed: object; effects: () => Promise<number> }

/**
 * In each round a request is sent 50 times at once under one key to two processes, some of them with another body; in half of the
 * rounds one of the processes is killed with SIGKILL meanwhile. A request without a response is repeated at the other process.
 * There must be one effect and one response, which all requests with that body get; the others, and later ones, must be refused.
 * Throws otherwise, with the seed of the round.
 */
export async function repeatOneKey(trial: OneKeyTrial): Promise<OneKeyReport> {
  const ports = [await freePort(), await freePort()]
  const start = (port: number) => startProcess({ ...trial, port, env: BESIDE_THE_PLATFORM })
  const services = await Promise.all(ports.map(start))
  const observer = new pg.Client({ connectionString: trial.databaseUrl })
  await observer.connect()
  const report: OneKeyReport = { rounds: trial.rounds, kills: 0, unanswered: 0, refused: 0 }
  try {
    for (let round = 0; round < trial.rounds; round++) {
      const seed = trial.seed * 1000 + round
      const death = DEATHS[round % DEATHS.length]!
      const killed = seed % 2
      const kill = async () => {
        await services[killed]!.kill()
        services[killed] = await start(ports[killed]!)
        report.kills++
      }
      const answers = await inRound(trial.db, observer, services, seed, death, killed, kill).catch((err) => {
        throw new Error(`Seed ${seed}, death ${death}: ${err.message}`, { cause: err })
      })
      report.unanswered += answers.reduce((sum, { unanswered }) => sum + unanswered, 0)
      report.refused += answers.filter(({ status }) => status === 400).length
    }
    return report
  } finally {
    await observer.end()
    await Promise.all(services.map((service) => service.kill()))
  }
}

async function inRound(
  db: Database,
  observer: pg.Client,
  services: readonly Process[],
  seed: number,
  death: (typeof DEATHS)[number],
  doomed: number,
  kill: () => Promise<void>
): Promise<Answer[]> {
  const random = randomFrom(seed)
  const store = await aStore(db)
  const key = await store.aKey()
  const action = await anAction(store, observer, random)
  const send = async (isChanged: boolean): Promise<Answer> => {
    // Where the effect decides when a process dies, that process has it.
    let to = death === 'after the effect' ? doomed : random() < 0.5 ? 0 : 1
    for (let unanswered = 0; ; unanswered++) {
      const response = await post(
        `${services[to]!.url}/v1${action.path}`,
        key,
        seed,
        action[isChanged ? 'changed' : 'body']
      )
      if (response) return { ...response, isChanged, unanswered }
      assert.ok(unanswered < MAX_TRIES, 'no process answers')
      to = 1 - to
      await sleep(AGAIN_AFTER_MS)
    }
  }
  const changed = Math.floor(random() * (MAX_CHANGED + 1))
  const isSent = { all: false }
  const sent = Promise.all(Array.from({ length: REQUESTS }, (_, nth) => send((nth * 7) % REQUESTS < changed))).finally(
    () => {
      isSent.all = true
    }
  )
  const killing = dies(death, action, random, isSent, kill)
  const [answers] = await Promise.all([sent, killing])

  const done = answers.filter(({ status }) => status === 200)
  const first = done[0]
  assert.ok(first, `nobody was answered: ${JSON.stringify(answers[0])}`)
  for (const { status, body, isChanged } of answers) {
    assert.equal(status, isChanged === first.isChanged ? 200 : 400, body)
    if (status === 200) assert.equal(body, first.body, 'another response')
    else assert.match(body, /Idempotency-Key/)
  }
  // The response of a process that died may be lost.
  const originals = done.filter(({ isReplayed }) => !isReplayed).length
  assert.ok(originals === 1 || (originals === 0 && death !== 'none'), `${originals} are not marked as replays`)
  assert.equal(await action.effects(), 1, 'effects')
  for (const isChanged of [first.isChanged, !first.isChanged]) {
    const { status, isReplayed, body } = await send(isChanged)
    if (isChanged === first.isChanged) assert.deepEqual([status, isReplayed, body], [200, true, first.body])
    else assert.equal(status, 400, body)
  }
  assert.equal(await action.effects(), 1, 'effects after repetitions')
  assert.deepEqual((await store.inStore(audit)).findings, [])
  return answers
}

async function dies(
  death: (typeof DEATHS)[number],
  { effects }: Action,
  random: () => number,
  isSent: { all: boolean },
  kill: () => Promise<void>
): Promise<void> {
  if (death === 'none') return
  if (death === 'at random') await sleep(random() * KILL_WITHIN_MS)
  else while (!isSent.all && (await effects()) === 0);
  await kill()
}

/** Additions and deductions of a store share transactions; all other writes have one of their own, as that of an endpoint. */
async function anAction(store: BuiltStore, observer: pg.Client, random: () => number): Promise<Action> {
  const dice = random()
  // A prepared statement on a connection of its own, to see an effect as soon as it is committed.
  const count = (name: string, text: string) => async () => {
    const { rows } = await observer.query({ name, text, values: [store.storeId], rowMode: 'array' })
    return Number(rows[0]![0])
  }
  if (dice < 0.34) {
    return {
      path: '/webhook-endpoints',
      body: { url: 'https://127.0.0.1:9/', description: 'One' },
      changed: { url: 'https://127.0.0.1:9/', description: 'Another' },
      effects: count('endpoints', 'select count(*) from webhook_endpoints where store_id = $1')
    }
  }
  const reported = [{ id: '1', email: 'ada@example.com', firstName: null, lastName: null }]
  const { id } = (await store.inStore((ctx) => upsertCustomers(ctx, reported))).get('1')!
  const begin = { memberId: id, type: 'import' as const, amountMinor: 50_000, reason: 'Before', operationId: 'before' }
  await store.inStore((ctx) => changeCredits(ctx, [begin]))
  return {
    path: `/store-credits/cust_${id}/${dice < 0.67 ? 'add' : 'deduct'}`,
    body: { amount: 5, reason: 'Trial' },
    changed: { amount: 6, reason: 'Trial' },
    effects: count('entries', "select count(*) from credit_entries where store_id = $1 and operation_id <> 'before'")
  }
}

/** Null: there was no response. */
async function post(url: string, key: string, seed: number, body: object) {
  try {
    const response = await request(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `trial-${seed}`
      },
      body: JSON.stringify(body)
    })
    const isReplayed = response.headers['idempotent-replayed'] === 'true'
    return { status: response.statusCode, isReplayed, body: await response.body.text() }
  } catch {
    return null
  }
}
