// Store-credit adds per second over HTTP, 64 in flight over many members, relative to pgbench running the same statements, one add
// per transaction, on the same server. The statements are recorded from the service.
// Usage: node bench/store-credit.ts
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { Client } from 'undici'
import { audit } from '#audit'
import { changeCredits } from '#credits'
import { type Ctx, Database, STORE_ROLE, type Statement, type Tx } from '#kit/postgres'
import { findCustomers } from '#members'
import { createKey } from '#stores'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase, median } from './database.ts'
import { asScript, findPgbench, pgbench } from './pgbench.ts'

const MEMBERS = 10_000
const IN_FLIGHT = 64
const CLIENTS = 8
const ROUNDS = 5
const SECONDS = 4
const AMOUNT = 1618
const SERVER = fileURLToPath(new URL('./read-member-server.ts', import.meta.url))

/** Unique numbers of the recorded account, by which its values are recognised in statements. */
const MARKED = { member: 7_654_321, balance: 31_415_926, entries: 2_718_281, lastEntry: 8_765_432 }

const database = await benchDatabase()
const db = new Database({ url: database.url })
let server: ChildProcess | undefined
try {
  // A currency without decimals, so that amounts are the same numbers in tables and events.
  const store = await aStore(db, { currency: 'JPY' })
  const { storeId } = store
  await asOwner(`
    insert into members (store_id, id, platform_customer_id, email, status, member_since, created_at, updated_at)
    overriding system value
    select ${storeId}, n, 1000000 + n, 'person-' || n || '@example.com', 'active', now(), now(), now()
      from (select generate_series(1, ${MEMBERS}) union all select ${MARKED.member}) as m(n);
    insert into credit_accounts (store_id, member_id, balance_minor, entries, updated_at)
    select ${storeId}, n, 0, 0, now() from generate_series(1, ${MEMBERS}) n;
    analyze members; analyze credit_accounts`)
  const script = await recordedScript(storeId)
  const command = await findPgbench()
  const baseline = command
    ? () => pgbench(command, { url: database.url, role: STORE_ROLE, script, clients: CLIENTS, seconds: SECONDS })
    : () => perSecond(CLIENTS, () => add(storeId, 1 + Math.floor(Math.random() * MEMBERS)))

  const { key } = await createKey(db, { storeId, name: 'Bench' })
  const origin = await serve()
  await overHttp(origin, key, 1)
  const rates = { http: [] as number[], baseline: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    rates.baseline.push(await baseline())
    rates.http.push(await overHttp(origin, key, SECONDS))
  }
  // If pgbench's statements differed from the real ones, the ledger would not add up.
  const { findings } = await store.inStore(audit)
  const spoilt = findings.filter(({ check }) => check.startsWith('credit_'))
  if (spoilt.length > 0) throw new Error(JSON.stringify(spoilt.slice(0, 3)))

  const ratio = median(rates.http.map((rate, i) => rate / rates.baseline[i]!))
  console.log(
    JSON.stringify({
      bench: 'store-credit',
      adds_per_s: Math.round(median(rates.http)),
      baseline: command ? `pgbench, ${CLIENTS} clients` : `no pgbench here: ${CLIENTS} loops over pg`,
      baseline_per_s: Math.round(median(rates.baseline)),
      ratio: Number(ratio.toFixed(2)),
      wanted: 0.5
    })
  )
  process.exitCode = ratio >= 0.5 ? 0 : 1
} finally {
  server?.kill('SIGKILL')
  await db.close()
  await database.close()
}

/** The statements of the service for a single add. */
function add(storeId: number, memberId: number, recording: (ctx: Ctx) => Ctx = (ctx) => ctx) {
  return db.inStore(storeId, async (given) => {
    const ctx = recording(given)
    const [found] = await findCustomers(ctx, [{ memberId, platformId: null }])
    const operationId = `api:${crypto.randomUUID()}`
    const change = {
      memberId: found!.id,
      type: 'manual_add' as const,
      amountMinor: AMOUNT,
      reason: 'bench',
      operationId
    }
    const [outcome] = await changeCredits(ctx, [change], [found!])
    if (outcome!.refusal) throw outcome!.refusal
    return operationId
  })
}

/** The recorded add as a script over random members; the recorded account is deleted. */
async function recordedScript(storeId: number): Promise<string> {
  await asOwner(`
    insert into credit_accounts (store_id, member_id, balance_minor, entries, updated_at)
    values (${storeId}, ${MARKED.member}, ${MARKED.balance}, ${MARKED.entries}, now());
    select setval(pg_get_serial_sequence('credit_entries', 'id'), ${MARKED.lastEntry})`)
  const recorded: Statement[] = []
  const operationId = await add(storeId, MARKED.member, (ctx) => ({ ...ctx, tx: recorder(ctx.tx, recorded) }))
  await asOwner(`
    delete from credit_lots where member_id = ${MARKED.member}; delete from credit_entries where member_id = ${MARKED.member};
    delete from credit_accounts where member_id = ${MARKED.member}; delete from facts where store_id = ${storeId}`)

  const variables = new Map([
    [`${MARKED.member}`, 'member'],
    [`${MARKED.balance}`, 'account_balance_minor'],
    [`${MARKED.balance + AMOUNT}`, 'after'],
    [`${MARKED.entries + 1}`, 'position'],
    [`${MARKED.lastEntry + 1}`, 'entry_id'],
    [operationId, 'operation']
  ])
  const statements = recorded.map((statement) => {
    const script = asScript(statement, variables)
    if (/from credit_accounts[\s\S]*for update/.test(script)) {
      return `${script} \\gset account_\n\\set after :account_balance_minor + ${AMOUNT}\n\\set position :account_entries + 1`
    }
    return /insert into credit_entries/.test(script) ? `${script} \\gset entry_` : `${script};`
  })
  const begin = `\\set member random(1, ${MEMBERS})\n\\set operation random(1, 9000000000000000000)\nbegin;\nset local perennial.store_id = '${storeId}';\nselect coalesce(clock_at, clock_timestamp()) as now from stores where store_id = ${storeId};`
  return [begin, ...statements, 'commit;', ''].join('\n')
}

function recorder(tx: Tx, recorded: Statement[]): Tx {
  const note = (statement: Statement) => {
    recorded.push(statement)
    return statement
  }
  return {
    many: (row, statement) => tx.many(row, note(statement)),
    one: (row, statement) => tx.one(row, note(statement)),
    maybeOne: (row, statement) => tx.maybeOne(row, note(statement)),
    run: (statement) => tx.run(note(statement)),
    send: (statement) => tx.send(note(statement))
  }
}

async function asOwner(statements: string) {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(statements).finally(() => client.end())
}

async function serve(): Promise<string> {
  const started = spawn(process.execPath, [SERVER, 'perennial', database.url], { stdio: ['ignore', 'pipe', 'inherit'] })
  server = started
  return new Promise((resolve, reject) => {
    started.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()))
    started.once('exit', (code) => reject(new Error(`The server ended with ${code}`)))
  })
}

async function overHttp(origin: string, key: string, seconds: number): Promise<number> {
  const clients = Array.from({ length: IN_FLIGHT }, () => new Client(origin))
  const body = JSON.stringify({ amount: AMOUNT, reason: 'bench' })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const rate = await perSecond(
    IN_FLIGHT,
    async (i) => {
      const path = `/v1/store-credits/cust_${1 + Math.floor(Math.random() * MEMBERS)}/add`
      const response = await clients[i]!.request({ method: 'POST', path, headers, body })
      const text = await response.body.text()
      if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text}`)
    },
    seconds
  )
  await Promise.all(clients.map((client) => client.close()))
  return rate
}

/** Runs of `work` per second, with this many at once. */
async function perSecond(atOnce: number, work: (i: number) => Promise<unknown>, seconds = SECONDS): Promise<number> {
  const began = performance.now()
  let done = 0
  const loop = async (_: unknown, i: number) => {
    while (performance.now() - began < seconds * 1000) {
      await work(i)
      done++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
  return done / ((performance.now() - began) / 1000)
}
