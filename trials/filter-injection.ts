// SQL, LIKE patterns and Unicode in every filter and id: a filter finds exactly what it names, and nothing else happens.
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { audit } from '#audit'
import { type Database, int, row, sql } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { readAndApplyContracts } from '../src/sync/contracts/read-and-apply-contracts.ts'
import { OPERATOR_TOKEN, startServiceHere } from '../test/service-here.ts'
import { monthlyMembers } from './monthly-members.ts'
import { sendRaw } from './send-raw.ts'
import { WITHOUT_LIMIT } from './without-limit.ts'

export type FilterTrial = { databaseUrl: string; db: Database; requests: number; seed: number }
export type FilterReport = {
  requests: number
  found: number
  foundNothing: number
  refused: number
  slowestMs: number
}

const WORKERS = 8
/** Less than any of the injected sleeps. */
const MAX_MS = 5_000

// biome-ignore format: a list
const EMAILS = [
  'ada@example.com', 'ADA2@example.com', 'a_a@example.com', 'axa@example.com', 'a%a@example.com', 'aXYa@example.com',
  "o'brien@example.com", "o''brien@example.com", 'back\\slash@example.com', 'back\\\\slash@example.com', 'quo"te@example.com',
  'dollar$1@example.com', 'semi;colon@example.com', 'dash--dash@example.com', 'plus+tag@example.com', 'plus@example.com',
  'straße@example.com', 'strasse@example.com', 'STRASSE2@example.com', 'ıstanbul@example.com', 'istanbul@example.com', 'kelvin@example.com', 'ﬀ@example.com', 'ff@example.com',
  '\u00e9@example.com', 'e\u0301@example.com', 'e@example.com', 'Σίσυφος@example.com', 'σίσυφοσ@example.com',
  'аda@example.com', 'ａda@example.com', 'ada\u200b@example.com', '日本語@example.com', '👩‍👩‍👧@example.com', '👩@example.com',
  'user@exämple.com', 'user@xn--exmple-cua.com', 'true@example.com', 'null@example.com', '1@example.com', '01@example.com',
  '%@example.com', '_@example.com', '.*@example.com', '*@example.com', '^a@example.com', '{a}@example.com', '(a)@example.com'
]

/** Nobody has these: the server's lower case of each is that of somebody, or it looks like somebody's. */
const LOOKALIKES = [
  '\u0130stanbul@example.com',
  '\u212aelvin@example.com',
  'STRA\u1e9eE@example.com',
  'adа@example.com',
  'ada@example.com\u00a0'
]

// biome-ignore format: a list
const INJECTIONS = [
  "' or '1'='1", "' or 1=1--", "') or ('1'='1", "'; drop table members; --", "' union select null, version() --",
  "'; select pg_sleep(6); --", "' || pg_sleep(6) || '", "\\' or 1=1 --", "$$ or true $$", '" or ""="', "' and lower(email) like '%",
  '%', '_', '%%', '_%', '%@%', '*', '?', '.*', '\\', "'", "''", '"', ';', '--', '/*', '*/', '$1', '$' + '{1}', '::text', '\t', '\n', ' ', ' ',
  '​', ' or true', ')', '(', "E'\\x27'", '&#39;', '%27', '%2527', '＇', 'ʼ', '1e0', '.0', '0x1', ',2', '[]', '{"a":1}'
]

/**
 * People whose addresses differ by a wildcard, a quote, case, accents or look, in two stores. Each request puts such an address, or
 * an id with something added, into a filter, a path or the receiver of a gift. A filter by address must find who has exactly that
 * address, upper or lower case; every other value is refused or finds nothing. No statement may run late, and nothing may change.
 * Throws otherwise.
 */
export async function injectIntoFilters({ databaseUrl, db, requests, seed }: FilterTrial): Promise<FilterReport> {
  const random = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const service = await startServiceHere(databaseUrl, { budgets: WITHOUT_LIMIT })
  const port = Number(new URL(service.url).port)
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS })
  const report: FilterReport = { requests: 0, found: 0, foundNothing: 0, refused: 0, slowestMs: 0 }

  try {
    const aStoreOfPeople = async () => {
      const store = await service.aStore()
      const people = EMAILS.map((email, i) => ({ id: String(500_000 + i), email }))
      await service.sandbox.controls.importFixtures({ storeId: store.storeId, ...monthlyMembers(people) })
      await readAndApplyContracts(
        service.deps,
        store.storeId,
        people.map(({ id }) => id)
      )
      await service.deps.settle(store.storeId)
      return store
    }
    const store = await aStoreOfPeople()
    // Has the same people, whom the first store must never see.
    const other = await aStoreOfPeople()
    const before = await stateOf(db)

    const get = async (path: string, token = store.key) => {
      const began = performance.now()
      const response = await sendRaw(agent, port, {
        method: 'GET',
        target: path,
        headers: { authorization: `Bearer ${token}` },
        body: null
      })
      report.slowestMs = Math.max(report.slowestMs, Math.round(performance.now() - began))
      assert.ok(report.slowestMs < MAX_MS, `${path} took ${report.slowestMs} ms`)
      return { status: response.status, body: JSON.parse(response.text) }
    }
    const first = async (path: string) => (await get(`/v1${path}?limit=1`)).body.data[0].id as string
    const members = (await get('/v1/members?limit=100')).body.data as {
      id: string
      plan_id: string
      customer: { id: string }
    }[]
    const own = {
      member: members[0]!.id,
      customer: members[0]!.customer.id,
      plan: 'plan_1',
      subscription: await first('/subscriptions'),
      attempt: 'ba_1'
    }
    const idsByEmail = new Map<string, string>()
    for (const { id, email } of (await get(`/admin/api${store.at}/members?limit=100`, OPERATOR_TOKEN)).body.data)
      idsByEmail.set(email, id)
    assert.deepEqual([...idsByEmail.keys()].sort(), [...EMAILS].sort(), 'the people are not as they were made')

    /** The address with something in it that a pattern, a comparison or a parser may take for it. */
    const variant = (email: string): string => {
      const at = Math.floor(random() * email.length)
      return pick([
        () => email,
        () => email,
        () => email.replace(/[a-z]/gi, (c) => (random() < 0.5 ? c.toUpperCase() : c.toLowerCase())),
        () => email.toUpperCase(),
        () => email.normalize(random() < 0.5 ? 'NFC' : 'NFD'),
        () => email.normalize('NFKC'),
        () => email.slice(0, at) + pick(['%', '_', '.', '*']) + email.slice(at + 1),
        () => `${email.slice(0, at)}%`,
        () => email + pick(INJECTIONS),
        () => pick(INJECTIONS) + email,
        () => pick(INJECTIONS),
        () => email.slice(0, at) + pick(INJECTIONS) + email.slice(at),
        () => email.replaceAll("'", "''").replaceAll('\\', '\\\\'),
        () => encodeURIComponent(email)
      ])().toWellFormed()
    }
    const byEmail = async () => {
      const value = variant(pick(random() < 0.1 ? LOOKALIKES : EMAILS))
      const isAdmin = random() < 0.3
      const list = isAdmin ? `/admin/api${store.at}/members?limit=100` : '/v1/members?limit=100'
      const { status, body } = await get(
        `${list}&email=${encodeURIComponent(value)}`,
        isAdmin ? OPERATOR_TOKEN : store.key
      )
      const what = `email=${JSON.stringify(value)}: ${status} ${JSON.stringify(body)}`
      if (status === 400) {
        assert.ok(value.length === 0 || value.length > 320, what)
        return report.refused++
      }
      assert.equal(status, 200, what)
      const ids = (body.data as { id: string }[]).map(({ id }) => id)
      const found = EMAILS.filter((email) => ids.includes(idsByEmail.get(email)!))
      assert.equal(found.length, ids.length, `others than the people of the store: ${what}`)
      assert.equal(isAdmin ? body.total : body.meta.total, ids.length, what)
      for (const email of EMAILS) {
        const mustBe = asciiLower(email) === asciiLower(value)
        const isFound = found.includes(email)
        assert.ok(isFound || !mustBe, `${email} is not found: ${what}`)
        assert.ok(!isFound || mustBe || isOtherCase(email, value), `${email} is found: ${what}`)
      }
      report[ids.length > 0 ? 'found' : 'foundNothing']++
    }

    const filters: [path: string, name: string, value: string][] = [
      ['/members', 'plan_id', own.plan],
      ['/members', 'status', 'active'],
      ['/subscriptions', 'plan_id', own.plan],
      ['/subscriptions', 'customer_id', own.customer],
      ['/subscriptions', 'customer_id', '500000'],
      ['/subscriptions', 'status', 'active'],
      ['/subscriptions', 'created_after', '2020-01-01T00:00:00Z'],
      ['/subscriptions', 'created_before', '2100-01-01T00:00:00Z'],
      ['/billing-attempts', 'subscription_id', own.subscription],
      ['/billing-attempts', 'status', 'success'],
      ['/billing-attempts', 'date_from', '2020-01-01'],
      ['/billing-attempts', 'date_to', '2100-01-01'],
      ['/events', 'customer', own.customer],
      ['/events', 'type', 'member.created'],
      ['/events', 'since', '0'],
      ['/members', 'limit', '10'],
      ['/members', 'offset', '0']
    ]
    const paths = [
      ['/members/', own.member],
      ['/subscriptions/', own.subscription],
      ['/billing-attempts/', own.attempt],
      ['/store-credits/', own.customer],
      ['/webhook-endpoints/', 'we_1'],
      ['/webhook-deliveries/', `wh_${'a'.repeat(32)}`]
    ] as const
    const nothing = async (path: string, token?: string) => {
      const { status, body } = await get(path, token)
      const what = `${path}: ${status} ${JSON.stringify(body).slice(0, 500)}`
      if (status === 200) {
        assert.deepEqual(body.data, [], what)
        return report.foundNothing++
      }
      assert.ok(status === 400 || status === 404, what)
      assert.ok(typeof body.error?.code === 'string' && typeof body.error.message === 'string', what)
      report.refused++
    }
    const around = (value: string) => {
      const added = pick(INJECTIONS)
      return encodeURIComponent((random() < 0.7 ? value + added : added + value).toWellFormed())
    }
    const byOther = () => {
      const [path, name, value] = pick(filters)
      return nothing(`/v1${path}?${name}=${around(value)}`)
    }
    const byPath = () => {
      const [path, id] = pick(paths)
      return nothing(`/v1${path}${around(id)}`)
    }
    const byStore = () =>
      nothing(`/admin/api/stores/${around(random() < 0.5 ? store.id : store.domain)}/members`, OPERATOR_TOKEN)
    const worker = async () => {
      while (report.requests < requests) {
        report.requests++
        await pick([byEmail, byEmail, byEmail, byOther, byPath, byStore])()
      }
    }
    await Promise.all(Array.from({ length: WORKERS }, worker))
    assert.deepEqual(await stateOf(db), before, 'something has changed')
    for (const { storeId } of [store, other]) assert.deepEqual((await db.inStore(storeId, audit)).findings, [])
    return report
  } finally {
    agent.destroy()
    await service.stop()
  }
}

const asciiLower = (text: string) => text.replace(/[A-Z]/g, (c) => c.toLowerCase())

/**
 * Whether the texts differ in case alone, character by character: the server's rules for it are those of its own Unicode tables.
 */
function isOtherCase(a: string, b: string): boolean {
  const [as, bs] = [[...a], [...b]]
  // One character for one: a longer lower case is not the server's.
  const lower = (c: string) => [...c.toLowerCase()][0]
  return as.length === bs.length && as.every((x, i) => lower(x) === lower(bs[i]!))
}

/** What an injected statement would change: the number of tables and rows. */
function stateOf(db: Database) {
  return db.inInstallation((tx) =>
    tx.one(
      row({ tables: int, members: int, subscriptions: int, attempts: int, facts: int, keys: int }),
      sql`
      select (select count(*) from information_schema.tables where table_schema = 'public') as tables,
             (select count(*) from members) as members, (select count(*) from subscriptions) as subscriptions,
             (select count(*) from billing_attempts) as attempts, (select count(*) from facts) as facts,
             (select count(*) from api_keys) as keys`
    )
  )
}
