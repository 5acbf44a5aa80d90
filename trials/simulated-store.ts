import assert from 'node:assert/strict'
import { mapConcurrently } from '#kit/map-concurrently'
import { bool, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { aStoreWithEvents } from '../test/recorded-events.ts'
import { startServiceHere } from '../test/service-here.ts'
import { compareCredit } from './recompute-credit.ts'
import { type ActiveTime, compareWithPlatform, type TagsByHand } from './recompute-orders.ts'
import {
  aPerson,
  creditFor,
  MEMBERSHIPS,
  moveCredit,
  type Person,
  PLANS,
  platformCredit,
  tierOf
} from './simulated-people.ts'

export type SimulationTrial = {
  databaseUrl: string
  members: number
  months: number
  /** Whether messages overtake each other by seconds as well: the clock stops at each of them, so it is for small stores. */
  isShuffled: boolean
  seed: number
  /** Where the shop is, and when it opens; default: in New York, on 5 January at 15:00 UTC. */
  shop?: { timezone: string; opensAt: string }
}
export type SimulationReport = {
  members: number
  months: number
  orders: number
  refunds: number
  disputes: number
  reservations: number
  /** Orders that were paid with credit at the platform's checkout, and tags that people of the shop added or removed. */
  paidWithCredit: number
  tagsByHand: number
  /** Entries by their type, as the Data API numbers them. */
  creditEntries: Record<string, number>
  tagsCompared: number
  /** Of the process, with the platform in it, at the end of each quarter. */
  memoryMb: number[]
}

type Service = Awaited<ReturnType<typeof startServiceHere>>
type Shop = Awaited<ReturnType<typeof aStoreWithEvents>>
/** What else is to be examined in the end, while the service still runs. */
type Examine = (service: Service, shop: Shop) => Promise<void>

const SHOP = { timezone: 'America/New_York', opensAt: '2026-01-05T15:00:00Z' }
const STEP_DAYS = 5
/** Not on the minute of an earlier step, at which renewals fall due: whether somebody pauses before or after one could not be told. */
const STEP = { hours: 24 * STEP_DAYS, minutes: 1 }
const STEPS_A_MONTH = 6
/** Shares of the customers to whom it happens in a step. */
const RATES = {
  order: 0.08,
  refund: 0.02,
  dispute: 0.01,
  decision: 0.4,
  cancelOrder: 0.005,
  pause: 0.02,
  cancel: 0.006,
  credit: 0.03,
  card: 0.05,
  byHand: 0.01
}
/** In a small store what is rare happens more often, so that all of it happens. */
const SMALL_RATES = { ...RATES, dispute: 0.06, decision: 0.6, pause: 0.08 }
const RESUMES = 0.25
const DECISIONS = ['won', 'lost', 'accepted', 'prevented'] as const
const REFUNDS = ['all', 'credit', 'none'] as const
/** On what is bought without a contract. */
const TAX_PERCENT = 8.25
const ATTRIBUTES = [
  { name: 'deliverySchedule', value: 'Mon, Thu' },
  { name: 'mystery_gift', value: 'true' }
]
/** What people of the shop add; it stays. */
const THEIR_TAG = 'looked-at'
/** Joins are spread over this share of the time. */
const JOINING = 0.4
/** Late ones come after what happens in the next step. */
const MESSAGE_FAULTS = { duplicate: 0.2, late: 0.1, delayHours: 24 * STEP_DAYS + 18 }
const SMALL_FAULTS = { ...MESSAGE_FAULTS, late: 0.25, shuffle: true }
const AT_ONCE = 8

/**
 * The life of a store: people join memberships and subscriptions of a product, order besides and pay with credit, have orders refunded in
 * parts, dispute and win or lose, cancel orders, pause and cancel memberships, and spend, reserve and lose credit, while cards fail now
 * and then, the people of the shop change tags, and the platform's messages come late, twice and in another order. In the end the
 * auditor has no findings, and the kind of each order, the first-order dates, all tags on the platform, and the credit that each order
 * has issued, spent and restored equal what follows from the platform's own records. Throws otherwise.
 */
export async function simulateStore(
  trial: SimulationTrial,
  examine: Examine = async () => {}
): Promise<SimulationReport> {
  const service = await startServiceHere(trial.databaseUrl)
  try {
    return await simulate(service, trial, examine)
  } finally {
    await service.stop()
  }
}

async function simulate(
  service: Service,
  { members, months, isShuffled, seed, shop: { timezone, opensAt } = SHOP }: SimulationTrial,
  examine: Examine
): Promise<SimulationReport> {
  const random = randomFrom(seed)
  const rates = isShuffled ? SMALL_RATES : RATES
  const { controls } = service.sandbox
  const shop = await openShop(service, { clock: opensAt, timezone, domain: `simulated-${seed}.example` })
  const { storeId } = shop
  const active: ActiveTime[] = []
  const byHand: TagsByHand = new Map()
  const report = { orders: 0, refunds: 0, disputes: 0, reservations: 0, paidWithCredit: 0, tagsByHand: 0 }
  const memoryMb: number[] = []
  const steps = months * STEPS_A_MONTH
  const people = Array.from({ length: members }, () => aPerson(random, steps * JOINING))
  await mapConcurrently(people, AT_ONCE, async (person) => {
    const n = people.indexOf(person)
    person.id = (await controls.createCustomer({ storeId, email: `person-${n}@example.com`, country: 'US' })).id
  })
  await controls.setWebhookFaults({ storeId, faults: { ...(isShuffled ? SMALL_FAULTS : MESSAGE_FAULTS), seed } })

  let now = Temporal.Instant.from(opensAt)
  for (let step = 0; step < steps; step++) {
    // Nobody does two things at one time: what comes first could not be seen.
    const left = shuffled(people, random)
    const some = (rate: number, who: (person: Person) => boolean) => {
      const chosen = left.filter(who).slice(0, Math.ceil(rate * members * random() * 2))
      for (const person of chosen) left.splice(left.indexOf(person), 1)
      return chosen
    }
    const joining = some(1, (person) => person.joinsAt === step && person.plan !== '')
    await each(joining, async (person) => {
      const lines =
        person.plan === 'Gold and Beans' ? [{ plan: 'Gold' }, { plan: 'Beans' }] : [{ plan: person.plan as string }]
      if (lines.length === 1) await controls.join({ storeId, customerId: person.id, plan: lines[0]!.plan })
      else await controls.order({ storeId, customerId: person.id, lines })
      if (person.plan === 'Beans') return
      person.state = 'active'
      active.push({ customerId: person.id, tier: tierOf(person), from: now, to: null })
    })
    const credit = await platformCredit(service, storeId)
    await each(
      some(rates.order, ({ cardFails }) => !cardFails),
      async (person) => {
        const totalMinor = 500 + Math.floor(random() * 9_500)
        const creditMinor = creditFor(credit.get(person.id) ?? 0, totalMinor, random())
        const attributes = ATTRIBUTES.filter(() => random() < 0.15)
        await controls.order({
          storeId,
          customerId: person.id,
          total: decimal(totalMinor),
          credit: decimal(creditMinor),
          taxPercent: TAX_PERCENT,
          attributes
        })
        report.orders++
        if (creditMinor > 0) report.paidWithCredit++
      }
    )
    const end = (person: Person) => {
      const open = active.findLast(({ customerId, to }) => customerId === person.id && to === null)
      if (open) open.to = now
    }
    const act = (person: Person, verb: string, body: object = {}) =>
      service.admin('POST', `${shop.at}/subscriptions/${person.subscription}/${verb}`, body)
    await each(
      some(rates.pause, ({ state, subscription }) => state === 'active' && subscription !== null),
      async (person) => {
        await act(person, 'pause')
        person.state = 'paused'
        end(person)
      }
    )
    await each(
      some(1, ({ state }) => state === 'paused' && random() < RESUMES),
      async (person) => {
        await act(person, 'resume')
        person.state = 'active'
        active.push({ customerId: person.id, tier: tierOf(person), from: now, to: null })
      }
    )
    await each(
      some(rates.cancel, ({ state, subscription }) => state === 'active' && subscription !== null),
      async (person) => {
        await act(person, 'cancel', { reason: 'too_expensive' })
        person.state = 'ended'
        end(person)
      }
    )
    await each(
      some(rates.credit, ({ state }) => state !== 'none'),
      async (person) => {
        if (await moveCredit(service, storeId, person, { random, step })) report.reservations++
      }
    )
    await each(
      some(rates.byHand, () => true),
      async ({ id }) => {
        await changeTags(shop, byHand, `Customer/${id}`, random())
        report.tagsByHand++
      }
    )
    const orders = await openOrders(service, storeId)
    const pickOrders = (rate: number) =>
      shuffled(orders, random)
        .splice(0, Math.ceil(rate * members * random() * 2))
        .map((order) => orders.splice(orders.indexOf(order), 1)[0]!)
    await each(pickOrders(rates.refund), async ({ id, leftMinor }) => {
      const part = random() < 0.3 ? null : Math.max(1, Math.floor(leftMinor * random()))
      await controls.refund({ storeId, orderId: id, amount: part === null ? null : decimal(part) })
      report.refunds++
    })
    await each(
      orders.filter(({ dispute }) => dispute === 'open' && random() < rates.decision),
      async (order) => {
        orders.splice(orders.indexOf(order), 1)
        const status = DECISIONS[Math.floor(random() * DECISIONS.length)]!
        await controls.dispute({ storeId, orderId: order.id, status })
      }
    )
    await each(
      pickOrders(rates.dispute).filter(({ dispute, creditMinor }) => dispute === null && creditMinor === 0),
      async ({ id }) => {
        await controls.dispute({ storeId, orderId: id, type: random() < 0.3 ? 'inquiry' : 'chargeback' })
        report.disputes++
      }
    )
    await each(
      pickOrders(rates.cancelOrder).filter(({ isPlain }) => isPlain),
      ({ id }) =>
        controls.cancelOrder({ storeId, orderId: id, refund: REFUNDS[Math.floor(random() * REFUNDS.length)]! })
    )
    await each(pickOrders(rates.byHand), async ({ id }) => {
      await changeTags(shop, byHand, `Order/${id}`, random())
      report.tagsByHand++
    })
    if (step % STEPS_A_MONTH === 0) {
      const setCards = (of: Person[], outcome: string[], cardFails: boolean) =>
        each(of, async (person) => {
          await controls.setCard({ storeId, customerId: person.id, outcome })
          person.cardFails = cardFails
        })
      await setCards(
        people.filter(({ cardFails }) => cardFails),
        ['success'],
        false
      )
      await setCards(
        some(rates.card, ({ state }) => state === 'active'),
        ['insufficient_funds', 'success'],
        true
      )
    }
    now = now.add(STEP)
    await shop.advance({ to: now.toString() })
    await findSubscriptions(service, storeId, people)
    if ((step + 1) % (3 * STEPS_A_MONTH) === 0) memoryMb.push(Math.round(process.memoryUsage().rss / 2 ** 20))
  }
  await controls.setWebhookFaults({ storeId, faults: null })
  await shop.advance({ to: now.add({ hours: 2 * 24 * STEP_DAYS }).toString() })

  const { findings } = (await service.admin('POST', '/doctor', {})) as { findings: object[] }
  assert.deepEqual(findings, [])
  const tagsCompared = await compareWithPlatform(service, storeId, { memberships: MEMBERSHIPS, active, byHand })
  const creditEntries = await compareCredit(service, storeId, { memberships: MEMBERSHIPS, people })
  await examine(service, shop)
  return { members, months, ...report, creditEntries, tagsCompared, memoryMb }
}

async function openShop(service: Service, given: { clock: string; timezone: string; domain: string }): Promise<Shop> {
  const shop = await aStoreWithEvents(service, given)
  const { product } = await shop.shop(
    `mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }`,
    { product: { title: 'Beans', status: 'ACTIVE' } }
  )
  for (const { name, type, share: _share, ...terms } of PLANS) {
    if (type === 'none' || type === 'both') continue
    const { credit, spent, ...rest } = terms as { credit?: number; spent?: string }
    await service.admin('POST', `${shop.at}/plans`, {
      name,
      type,
      interval: 'month',
      ...rest,
      ...(type === 'product' ? { product_ids: [product.id] } : {}),
      ...(credit ? { perks: { store_credit: { amount: credit, type: spent } } } : {})
    })
  }
  await service.admin('PATCH', `${shop.at}/settings`, {
    credit_on_cancellation: 'forfeit'
  })
  await service.admin('PATCH', `${shop.at}/storefront-settings/order_gift`, { value: { enabled: 1 } })
  return shop
}

/** Somebody in the shop takes all tags away, or adds one. */
async function changeTags(shop: Shop, byHand: TagsByHand, owner: string, roll: number): Promise<void> {
  const change = (mutation: 'tagsAdd' | 'tagsRemove', tags: string[]) =>
    shop.shop(
      `mutation($id: ID!, $tags: [String!]!) { ${mutation}(id: $id, tags: $tags) { userErrors { message } } }`,
      { id: `gid://platform/${owner}`, tags }
    )
  if (roll < 0.5) {
    byHand.set(owner, [THEIR_TAG])
    await change('tagsAdd', [THEIR_TAG])
  } else {
    const { tags } = await shop.shop(
      `query($id: ID!) { node(id: $id) { ... on Customer { tags } ... on Order { tags } } }`,
      {
        id: `gid://platform/${owner}`
      }
    )
    byHand.delete(owner)
    if (tags.length > 0) await change('tagsRemove', tags)
  }
}

/** Orders of which something is left to refund: the shop's own list of them. */
function openOrders(service: Service, storeId: number) {
  return service.sandboxDb.inInstallation((tx) =>
    tx.many(
      row({ id: text, leftMinor: int, isPlain: bool, creditMinor: int, dispute: nullable(oneOf('open', 'decided')) }),
      sql`
      select o.id::text as id, o.total_minor - o.refunded_minor as left_minor,
             (select coalesce(sum(amount_minor), 0)::bigint from sandbox.transactions t
               where t.store_id = ${storeId} and t.order_id = o.id and t.paid_from is not null) as credit_minor,
             o.contract_id is null and not exists (select from sandbox.contracts c where c.store_id = ${storeId} and c.origin_order_id = o.id)
               as is_plain,
             case when d.id is null then null when d.status in ('NEEDS_RESPONSE', 'UNDER_REVIEW') then 'open' else 'decided' end as dispute
        from sandbox.orders o
        left join sandbox.disputes d on d.store_id = ${storeId} and d.order_id = o.id
       where o.store_id = ${storeId} and o.cancelled_at is null and o.refunded_minor < o.total_minor
       order by o.id desc limit 2000`
    )
  )
}

/** The memberships' subscriptions of those who have joined since. */
async function findSubscriptions(service: Service, storeId: number, people: Person[]): Promise<void> {
  const found = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ customer: text, id: int }),
      sql`
      select m.platform_customer_id as customer, s.id
        from subscriptions s
        join members m on m.store_id = ${storeId} and m.id = s.member_id
        join plans p on p.store_id = ${storeId} and p.id = s.plan_id and p.type <> 'product'
       where s.store_id = ${storeId}`
    )
  )
  const ids = new Map(found.map(({ customer, id }) => [customer, `sub_${id}`]))
  for (const person of people) person.subscription ??= ids.get(person.id) ?? null
}

const each = async <T>(items: T[], act: (item: T) => Promise<unknown>): Promise<void> => {
  await mapConcurrently(items, AT_ONCE, act)
}

const decimal = (minor: number) => (minor / 100).toFixed(2)

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!]
  }
  return mixed
}
