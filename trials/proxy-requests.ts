// Requests of storefronts that the app proxy did not sign as they are: each is refused, and what is signed acts in the signed shop.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Agent } from 'node:http'
import { audit } from '#audit'
import { upsertFromContracts } from '#contracts'
import { type Database, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { aContract, anOrder } from '../test/contract-builder.ts'
import { startServiceHere } from '../test/service-here.ts'
import { aStore, type BuiltStore } from '../test/store-builder.ts'
import { sendRaw } from './send-raw.ts'

export type ProxyTrial = { databaseUrl: string; db: Database; requests: number; seed: number }
export type ProxyReport = { requests: number; refused: number; byForgery: Record<string, number>; cancelled: number }

const PAIRS = 10
const CONTRACTS = 40
const CLOCK_AT = Temporal.Instant.from('2026-01-31T15:04:05Z')
/** The platform's own requests are at most this old. */
const MAX_AGE_SECONDS = 90

type Parameters = [name: string, value: string][]
type Shop = { store: BuiltStore; contracts: Map<string, { customer: string; status: 'active' | 'cancelled' }> }
type Random = () => number

/**
 * Ten pairs of shops whose contracts and customers have the same numbers. A fifth of the requests is signed rightly; the others are
 * tampered with, stale, repeat what may occur once, or are signed with another shop's secret. Each of those must be 401, each of
 * the first as the signed shop's contract is, and in the end the contracts of every shop as its own requests left them. Throws
 * otherwise.
 */
export async function forgeProxyRequests({ databaseUrl, db, requests, seed }: ProxyTrial): Promise<ProxyReport> {
  const random = randomFrom(seed)
  const service = await startServiceHere(databaseUrl, { trustedProxies: ['127.0.0.1'] })
  const port = Number(new URL(service.url).port)
  const agent = new Agent({ keepAlive: true, maxSockets: PAIRS })
  const report: ProxyReport = { requests: 0, refused: 0, byForgery: {}, cancelled: 0 }
  const pairs: [Shop, Shop][] = []
  for (let i = 0; i < PAIRS; i++) pairs.push([await aShop(db, i % 2 === 0), await aShop(db, i % 3 === 0)])

  const post = (contract: string, query: string) =>
    sendRaw(agent, port, {
      method: 'POST',
      target: `/apps/svc-api/v1/membership/churn/${contract}/cancellation?${query}`,
      headers: {
        'content-type': 'application/json',
        // Refused requests are counted by address.
        'x-forwarded-for': Array.from({ length: 4 }, () => 1 + Math.floor(random() * 250)).join('.')
      },
      body: '{"reason":"too_expensive"}'
    })

  /** Only what is its own may be cancelled, and only once. */
  const askRightly = async (shop: Shop) => {
    const [id, contract] = pick(random, [...shop.contracts])
    const stranger = random() < 0.3
    const customer = stranger ? pick(random, [...shop.contracts.values()]).customer : contract.customer
    const owns = customer === contract.customer
    const expected = owns && contract.status === 'active' ? 200 : 403
    const { status, text } = await post(id, rightly(random, shop.store, customer))
    assert.equal(status, expected, `signed rightly by ${shop.store.domain}, contract ${id}: ${text}`)
    if (expected !== 200) return
    contract.status = 'cancelled'
    report.cancelled++
  }
  const forge = async (shop: Shop, other: Shop) => {
    const [id, { customer }] = pick(random, [...shop.contracts])
    const [name, forgery] = pick(random, Object.entries(FORGERIES))
    const query = forgery({ random, store: shop.store, other: other.store, customer })
    const { status, text } = await post(id, query)
    assert.equal(status, 401, `${name}: ${query} is answered ${status} ${text}`)
    assert.deepEqual(JSON.parse(text), {
      message: 'The request is not signed by the app proxy of a shop that is known here'
    })
    report.refused++
    report.byForgery[name] = (report.byForgery[name] ?? 0) + 1
  }
  const workAs = async (pair: [Shop, Shop]) => {
    while (report.requests < requests) {
      report.requests++
      const [shop, other] = random() < 0.5 ? pair : ([pair[1], pair[0]] as const)
      // A shop's tariff has 300 a minute.
      if (random() < 0.2) await askRightly(shop)
      else await forge(shop, other)
    }
  }

  try {
    await Promise.all(pairs.map(workAs))
    for (const { store, contracts } of pairs.flat()) {
      const kept = await store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ id: text, status: text }),
          sql`
          select platform_contract_id as id, status from subscriptions where store_id = ${storeId} order by platform_contract_id`
        )
      )
      const expected = [...contracts].map(([id, { status }]) => ({ id, status }))
      assert.deepEqual(kept, expected, `${store.domain} is not as its own requests left it`)
      assert.deepEqual((await store.inStore(audit)).findings, [])
    }
    const untried = Object.keys(FORGERIES).filter((name) => !report.byForgery[name])
    assert.deepEqual(untried, [], 'forgeries that were not tried')
    return report
  } finally {
    agent.destroy()
    await service.stop()
  }
}

/**
 * Its contracts have the same numbers and customers in every shop. Half of the shops are of the sandbox, which have a test clock.
 */
async function aShop(db: Database, sandbox: boolean): Promise<Shop> {
  const remote = { accessToken: 'token-of-20-chars-xx', appSecret: `${Math.random()}`.padEnd(20, 'x') }
  const store = await aStore(db, sandbox ? { clockAt: CLOCK_AT } : { sandbox: false, ...remote })
  const since = await store.inStore(async (ctx) => ctx.now)
  const numbers = Array.from({ length: CONTRACTS }, (_, i) => 10_000 + i)
  const contracts = numbers.map((n) => {
    const customer = { ...aContract(since).customer!, id: `2${n}`, email: `c${n}@example.com` }
    return aContract(since, { id: String(n), customer, originOrder: { id: `3${n}` } })
  })
  await store.inStore((ctx) =>
    upsertFromContracts(
      ctx,
      contracts,
      contracts.map(({ originOrder, customer }) => anOrder(since, { ...originOrder!, customerId: customer!.id }))
    )
  )
  return {
    store,
    contracts: new Map(contracts.map(({ id, customer }) => [id, { customer: customer!.id, status: 'active' }]))
  }
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!
}

const now = () => Math.floor(Date.now() / 1000)

const parametersOf = (store: BuiltStore, customer: string, over: Record<string, string> = {}): Parameters =>
  Object.entries({
    shop: store.domain,
    path_prefix: '/apps/svc-api',
    timestamp: String(now()),
    logged_in_customer_id: customer,
    ...over
  })

/** The platform's rule: repeated values joined by a comma, `key=value` sorted and joined. */
function signatureOf(parameters: Parameters, secret: string): string {
  const values = Map.groupBy(parameters, ([name]) => name)
  const canonical = [...values]
    .map(([name, all]) => `${name}=${all.map(([, value]) => value).join(',')}`)
    .sort()
    .join('')
  return createHmac('sha256', secret).update(canonical).digest('hex')
}

const written = (parameters: Parameters) =>
  parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')

const secretOf = (store: BuiltStore) => store.credentials.proxySecret
const signed = (parameters: Parameters, store: BuiltStore) =>
  written([...parameters, ['signature', signatureOf(parameters, secretOf(store))]])

/** As the proxy sends them: in any order, with the visitor's own parameters, which may repeat. */
function rightly(random: Random, store: BuiltStore, customer: string): string {
  const own: Parameters[] = [
    [],
    [['page', '2']],
    [
      ['tag', 'a'],
      ['tag', 'b']
    ],
    [['q', 'ü & =']]
  ]
  const age = Math.floor((random() * 2 - 1) * (MAX_AGE_SECONDS - 30))
  const parameters = [...parametersOf(store, customer, { timestamp: String(now() + age) }), ...pick(random, own)]
  return signed(
    parameters
      .map((one) => [random(), one] as const)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one),
    store
  )
}

type Forged = { random: Random; store: BuiltStore; other: BuiltStore; customer: string }

/** A rightly signed query of another customer, in which `name` then has another value. */
function changedAfter({ store }: Forged, name: string, value: string, before: Record<string, string> = {}): string {
  const parameters = parametersOf(store, '1', before)
  const signature = signatureOf(parameters, secretOf(store))
  return written([
    ...parameters.map(([key, was]): [string, string] => [key, key === name ? value : was]),
    ['signature', signature]
  ])
}

const signedAt = ({ store, customer }: Forged, timestamp: string) =>
  signed(parametersOf(store, customer, { timestamp }), store)

/** Repeats a parameter; the signature is that of the first value, of the second, or of both joined. */
function repeated(forged: Forged, name: string, second: string): string {
  const { random, store, customer } = forged
  const parameters = parametersOf(store, customer)
  const extra: [string, string] = [name, second]
  const both: Parameters = random() < 0.5 ? [...parameters, extra] : [extra, ...parameters]
  const of = pick(random, [
    parameters,
    both,
    parameters.map(([key, was]): [string, string] => [key, key === name ? second : was])
  ])
  return written([...both, ['signature', signatureOf(of, secretOf(store))]])
}

function withSignature({ random, store, customer }: Forged, change: (right: string, random: Random) => string): string {
  const parameters = parametersOf(store, customer)
  return written([...parameters, ['signature', change(signatureOf(parameters, secretOf(store)), random)]])
}

/** Every query here would cancel the contract of `customer` if one check were missing. */
const FORGERIES: Record<string, (forged: Forged) => string> = {
  'no signature': ({ store, customer }) => written(parametersOf(store, customer)),
  'another signature': (forged) =>
    withSignature(forged, (right, random) => {
      const at = Math.floor(random() * right.length)
      return right.slice(0, at) + (right[at] === '0' ? '1' : '0') + right.slice(at + 1)
    }),
  'a part of the signature': (forged) =>
    withSignature(forged, (right, random) => right.slice(0, Math.floor(random() * right.length))),
  'a longer signature': (forged) => withSignature(forged, (right) => `${right}00`),
  'another customer than signed': (forged) => changedAfter(forged, 'logged_in_customer_id', forged.customer),
  'a customer where nobody was signed': (forged) =>
    changedAfter(forged, 'logged_in_customer_id', forged.customer, { logged_in_customer_id: '' }),
  'another shop than signed': ({ store, other, customer }) => {
    const signature = signatureOf(parametersOf(other, customer), secretOf(other))
    return written([...parametersOf(store, customer), ['signature', signature]])
  },
  "another shop's secret": ({ store, other, customer }) => signed(parametersOf(store, customer), other),
  'a shop that is not here': ({ store, customer }) =>
    signed(parametersOf(store, customer, { shop: `x${store.domain}` }), store),
  'no shop': ({ store, customer }) =>
    signed(
      parametersOf(store, customer).filter(([name]) => name !== 'shop'),
      store
    ),
  'another prefix than signed': (forged) => changedAfter(forged, 'path_prefix', '/apps/other'),
  'a parameter that is not signed': ({ store, customer }) => `${signed(parametersOf(store, customer), store)}&debug=1`,
  'a signed parameter left out': ({ store, customer }) => {
    const signature = signatureOf([...parametersOf(store, customer), ['page', '2']], secretOf(store))
    return written([...parametersOf(store, customer), ['signature', signature]])
  },
  'an older time': (forged) =>
    signedAt(forged, String(now() - MAX_AGE_SECONDS - 30 - Math.floor(forged.random() * 100_000))),
  'a later time': (forged) =>
    signedAt(forged, String(now() + MAX_AGE_SECONDS + 30 + Math.floor(forged.random() * 100_000))),
  'a time that was renewed': (forged) =>
    changedAfter(forged, 'timestamp', String(now()), {
      timestamp: String(now() - 5_000),
      logged_in_customer_id: forged.customer
    }),
  'a time that is none': (forged) =>
    signedAt(
      forged,
      pick(forged.random, ['', 'now', `${now()}.5`, `+${now()}`, ` ${now()}`, '1e9', 'NaN', `${now()}000`])
    ),
  'the shop twice': (forged) => repeated(forged, 'shop', forged.other.domain),
  'the customer twice': (forged) => repeated(forged, 'logged_in_customer_id', '1'),
  'the time twice': (forged) => repeated(forged, 'timestamp', String(now() - 1)),
  'the prefix twice': (forged) => repeated(forged, 'path_prefix', '/apps/other'),
  'the signature twice': ({ store, customer }) => `${signed(parametersOf(store, customer), store)}&signature=0`,
  // The signed text has no separators, so it can be cut into parameters elsewhere.
  'another cut of the signed text': ({ store, customer }) => {
    const [shop, prefix, time, who] = parametersOf(store, customer) as [
      Parameters[0],
      Parameters[0],
      Parameters[0],
      Parameters[0]
    ]
    return signed([shop, time, [`${who.join('=')}${prefix[0]}`, prefix[1]]], store)
  },
  'a customer that holds other parameters': ({ store, customer }) => {
    const parameters = parametersOf(store, `${customer}path_prefix=/apps/svc-api`)
    return signed(
      parameters.filter(([name]) => name !== 'path_prefix'),
      store
    )
  },
  'an escape that is none': ({ store, customer }) => `${signed(parametersOf(store, customer), store)}&x=%zz`
}
