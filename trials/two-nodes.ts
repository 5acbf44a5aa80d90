import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { randomFrom } from '#kit/random'
import { movePlatform } from '#stores'
import { createEndpoint } from '#webhooks'
import { startProcess } from '../test/service-process.ts'
import { testVault } from '../test/store-builder.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from './platform.ts'
import { aTlsReceiver } from './receiver.ts'

export type TwoNodesTrial = {
  databaseUrl: string
  dataDir: string
  subscriptions: number
  /** The number of clock moves, and of those during which a node is killed. */
  moves: number
  kills: number
  seed: number
}
export type TwoNodesReport = { events: number; charges: number; killedWhileMoving: number; killedBeside: number }

type Process = Awaited<ReturnType<typeof startProcess>>
/** One move of the clock, the outcomes of the cards from then on, and how long after its request a node is killed. */
type Move = { to: string; cards: string[] | null; first: number; kill: { mover: boolean; afterMs: number } | null }

/**
 * A charge that is not sent within a third of this after its claim is sent a minute or two later by the store's clock. That is right, and is not
 * what a single node does.
 */
const LIMIT = { PLATFORM_TIMEOUT_SECONDS: '9' }
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

/**
 * Moves the test clock of a store over months of renewals with some declined cards: first with a single node, then, in another
 * store, with a web node and two more nodes. One of these moves the clock, and either of them is killed with SIGKILL at random
 * moments. Throws if the two stores differ in charges or events, or if an event was not delivered.
 */
export async function killOneOfTwoNodes(trial: TwoNodesTrial): Promise<TwoNodesReport> {
  const random = randomFrom(trial.seed)
  const moves = agenda(trial, random)
  const web = await startProcess({ ...trial, env: { ...BESIDE_THE_PLATFORM, PERENNIAL_ROLE: 'web' } })
  const platform = await startPlatform(trial.databaseUrl, web.url)
  const receiver = await aTlsReceiver()
  const nodes: Process[] = []
  const startNode = () =>
    startProcess({ ...trial, env: { ...BESIDE_THE_PLATFORM, PERENNIAL_ROLE: 'all', PUBLIC_URL: web.url, ...LIMIT } })
  const aStore = async (domain: string) => {
    const storeId = await platform.aStore(domain, trial.subscriptions)
    await movePlatform(platform.db, storeId, `${platform.url}/${domain}`)
    const settings = { vault: testVault, addresses: { loopback: false, allow: ['127.0.0.0/8'] } }
    receiver.secret = (await createEndpoint(platform.db, storeId, { url: receiver.url }, settings)).secret
    return storeId
  }
  try {
    nodes.push(await startNode())
    const alone = await aStore('one-node.example')
    for (const move of moves) {
      if (move.cards) await platform.cards(alone, move.cards)
      await moveClock(nodes[0]!, alone, move.to)
    }
    const expected = await historyOf(trial.databaseUrl, alone)

    nodes.push(await startNode())
    const store = await aStore('two-nodes.example')
    let killedWhileMoving = 0
    let killedBeside = 0
    for (const move of moves) {
      if (move.cards) await platform.cards(store, move.cards)
      const mover = nodes[move.first]!
      const moved = moveClock(mover, store, move.to).then(
        () => true,
        () => false
      )
      if (move.kill) {
        await setTimeout(move.kill.afterMs)
        if (move.kill.mover) await whileCharging(trial.databaseUrl, store, moved)
        const killed = move.kill.mover ? move.first : 1 - move.first
        await nodes[killed]!.kill()
        nodes[killed] = await startNode()
        if (!(await moved)) killedWhileMoving++
        else if (!move.kill.mover) killedBeside++
      }
      // The other node continues the move of the dead one; if the move was complete, this does nothing.
      if (!(await moved)) await moveClock(nodes[1 - move.first]!, store, move.to)
    }
    const found = await historyOf(trial.databaseUrl, store)
    assert.deepEqual(found.charges, expected.charges)
    assert.deepEqual(found.attempts, expected.attempts)
    assert.deepEqual(found.events, expected.events)
    assert.deepEqual(found.undelivered, [], 'events that were not delivered')
    assert.deepEqual((await web.call('POST', '/doctor', {})).findings, [])
    assert.deepEqual(receiver.odd, [])
    return { events: found.events.length, charges: found.charges.length, killedWhileMoving, killedBeside }
  } finally {
    await Promise.all([...nodes, web].map((node) => node.kill()))
    receiver.close()
    await platform.close()
  }
}

/** Waits until a node has claimed charges of the store, as long as the clock moves: by chance alone few kills would meet one. */
async function whileCharging(databaseUrl: string, storeId: number, moved: Promise<boolean>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    let isOver = false
    moved.then(() => {
      isOver = true
    })
    while (!isOver) {
      const { rows } = await client.query(
        'select from billing_attempts where store_id = $1 and lease_owner is not null limit 1',
        [storeId]
      )
      if (rows.length > 0) return
      await setTimeout(2)
    }
  } finally {
    await client.end()
  }
}

/** The same steps for both stores: the clock's moves, and which cards fail from then on. */
function agenda({ moves, kills }: TwoNodesTrial, random: () => number): Move[] {
  const killedAt = new Set<number>()
  while (killedAt.size < kills) killedAt.add(Math.floor(random() * moves))
  let now = START
  return Array.from({ length: moves }, (_, i) => {
    now = now.add({ hours: 24 + Math.floor(random() * 24 * 20) })
    return {
      to: now.toString(),
      cards: i % 3 === 1 ? ['insufficient_funds', 'success'] : null,
      first: Math.floor(random() * 2),
      kill: killedAt.has(i) ? { mover: random() < 0.6, afterMs: 20 + Math.floor(random() * 400) } : null
    }
  })
}

async function moveClock(node: Process, storeId: number, to: string): Promise<void> {
  const { now } = await node.call('POST', `/stores/store_${storeId}/clock/advance`, { to })
  assert.equal(Temporal.Instant.from(String(now)).toString(), to)
}

/** Everything that people and integrators see of the past, with names that do not depend on the order of ids. */
async function historyOf(databaseUrl: string, storeId: number) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const list = async (statement: string) =>
      (await client.query({ text: statement, values: [storeId], rowMode: 'array' })).rows
    return {
      charges: await list(
        `select contract_id, cycle_index, status, outcome, created_at::text from sandbox.billing_attempts
          where store_id = $1 order by 1, 2, 5`
      ),
      attempts: await list(
        `select s.platform_contract_id, a.cycle_index, a.attempt_number, a.status, a.error_code, a.scheduled_at::text,
                a.completed_at::text, a.retry_at::text
           from billing_attempts a join subscriptions s on s.store_id = a.store_id and s.id = a.subscription_id
          where a.store_id = $1 order by 1, 2, 3`
      ),
      events: await list(
        `select coalesce(s.platform_contract_id, m.platform_customer_id), s.id is null, e.name, e.occurred_at::text
           from facts e
           left join subscriptions s on s.store_id = $1 and s.id = (e.refs ->> 'subscriptionId')::bigint
           left join members m on m.store_id = $1 and e.ordering_key = 'member:' || m.id
          where e.store_id = $1 and e.name !~ '^(order|customer)[.]' order by 1, 2, e.id`
      ),
      undelivered: await list(
        `select e.name, e.id from facts e
          where e.store_id = $1 and e.name !~ '^(order|customer)[.]' and not exists (
                select from webhook_deliveries d join webhook_tries t on t.store_id = d.store_id and t.day = d.day
                   and t.delivery_id = d.id and t.failure is null
                 where d.store_id = e.store_id and d.fact_id = e.id)`
      )
    }
  } finally {
    await client.end()
  }
}
