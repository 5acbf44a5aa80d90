import assert from 'node:assert/strict'
import { captureReservation, changeCredits, releaseReservation, reserveCredit } from '#credits'
import { mapConcurrently } from '#kit/map-concurrently'
import { bool, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { aStoreWithEvents } from '../test/recorded-events.ts'
import { startServiceHere } from '../test/service-here.ts'
import { type ActiveTime, compareWithPlatform } from './recompute-orders.ts'

export type SimulationTrial = {
  databaseUrl: string
  members: number
  months: number
  /** Whether messages overtake each other by seconds as well: the clock stops at each of them, so it is for small stores. */
  isShuffled: boolean
  seed: number
}
export type SimulationReport = {
  members: number
  months: number
  orders: number
  refunds: number
  disputes: number
  creditEntries: number
  reservations: number
  tagsCompared: number
}

type Service = Awaited<ReturnType<typeof startServiceHere>>
type Shop = Awaited<ReturnType<typeof aStoreWithEvents>>

const START = '2026-01-05T15:00:00Z'
const STEP_DAYS = 5
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
  card: 0.05
}
const DECISIONS = ['won', 'lost', 'accepted', 'prevented'] as const
/** Joins are spread over this share of the time. */
const JOINING = 0.4
/** Late ones come after what happens in the next step. */
const MESSAGE_FAULTS = { duplicate: 0.2, late: 0.1, delayHours: 24 * STEP_DAYS + 18 }
const AT_ONCE = 8

const PLANS = [
  { name: 'Gold', type: 'vip', price: '29.00', credit: 10, share: 0.5 },
  { name: 'Elite', type: 'elite', price: '59.00', credit: 25, trial_price: '1.00', trial_days: 14, share: 0.15 },
  { name: 'Beans', type: 'product', price: '15.00', share: 0.15 },
  { name: 'Gold and Beans', type: 'both', share: 0.1 },
  // The others order without a membership.
  { name: '', type: 'none', share: 0.1 }
] as const
const MEMBERSHIPS = { Gold: 'SVC: VIP: Active', Elite: 'SVC: Elite: Active' }
type PlanName = (typeof PLANS)[number]['name']

type Person = {
  /** The platform's number of the customer. */
  id: string
  plan: PlanName
  joinsAt: number
  /** Ours, of the membership's subscription, once it is there. */
  subscription: string | null
  state: 'none' | 'active' | 'paused' | 'ended'
  /** The next charge of the card is declined, so that nothing else is bought with it. */
  cardFails: boolean
}

/**
 * The life of a store: people join memberships and subscriptions of a product, order besides, have orders refunded in parts, dispute
 * and win or lose, cancel orders, pause and cancel memberships, and spend, reserve and lose credit, while cards fail now and then and the
 * platform's messages come late, twice and in another order. In the end the auditor has no findings, and the kind of each order, the
 * first-order dates and all tags on the platform equal what follows from the platform's own records. Throws otherwise.
 */
export async function simulateStore(trial: SimulationTrial): Promise<SimulationReport> {
  const service = await startServiceHere(trial.databaseUrl)
  try {
    return await simulate(service, trial)
  } finally {
    await service.stop()
  }
}

async function simulate(
  service: Service,
  { members, months, isShuffled, seed }: SimulationTrial
): Promise<SimulationReport> {
  const random = randomFrom(seed)
  const { controls } = service.sandbox
  const shop = await openShop(service, seed)
  const { storeId } = shop
  const active: ActiveTime[] = []
  const report = { orders: 0, refunds: 0, disputes: 0, reservations: 0 }
  const steps = months * STEPS_A_MONTH
  const people: Person[] = Array.from({ length: members }, () => ({
    id: '',
    plan: pickPlan(random()),
    joinsAt: Math.floor(random() * steps * JOINING),
    subscription: null,
    state: 'none',
    cardFails: false
  }))
  await mapConcurrently(people, AT_ONCE, async (person) => {
    const n = people.indexOf(person)
    person.id = (await controls.createCustomer({ storeId, email: `person-${n}@example.com`, country: 'US' })).id
  })
  await controls.setWebhookFaults({ storeId, faults: { ...MESSAGE_FAULTS, shuffle: isShuffled, seed } })

  let now = Temporal.Instant.from(START)
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
    await each(
      some(RATES.order, ({ cardFails }) => !cardFails),
      async (person) => {
        await controls.order({
          storeId,
          customerId: person.id,
          total: `${5 + Math.floor(random() * 90)}.${10 + Math.floor(random() * 89)}`,
          attributes: random() < 0.2 ? [{ name: 'deliverySchedule', value: 'Mon, Thu' }] : []
        })
        report.orders++
      }
    )
    const end = (person: Person) => {
      const open = active.findLast(({ customerId, to }) => customerId === person.id && to === null)
      if (open) open.to = now
    }
    const act = (person: Person, verb: string, body: object = {}) =>
      service.admin('POST', `${shop.at}/subscriptions/${person.subscription}/${verb}`, body)
    await each(
      some(RATES.pause, ({ state, subscription }) => state === 'active' && subscription !== null),
      async (person) => {
        await act(person, 'pause')
        person.state = 'paused'
        end(person)
      }
    )
    await each(
      some(RATES.pause, ({ state }) => state === 'paused'),
      async (person) => {
        await act(person, 'resume')
        person.state = 'active'
        active.push({ customerId: person.id, tier: tierOf(person), from: now, to: null })
      }
    )
    await each(
      some(RATES.cancel, ({ state, subscription }) => state === 'active' && subscription !== null),
      async (person) => {
        await act(person, 'cancel', { reason: 'too_expensive' })
        person.state = 'ended'
        end(person)
      }
    )
    await each(
      some(RATES.credit, ({ state }) => state !== 'none'),
      (person) => moveCredit(service, storeId, person, { random, step, report })
    )
    const orders = await openOrders(service, storeId)
    const pickOrders = (rate: number) =>
      shuffled(orders, random)
        .splice(0, Math.ceil(rate * members * random() * 2))
        .map((order) => orders.splice(orders.indexOf(order), 1)[0]!)
    await each(pickOrders(RATES.refund), async ({ id, leftMinor }) => {
      const part = random() < 0.3 ? null : Math.max(1, Math.floor(leftMinor * random()))
      await controls.refund({ storeId, orderId: id, amount: part === null ? null : decimal(part) })
      report.refunds++
    })
    await each(
      orders.filter(({ dispute }) => dispute === 'open' && random() < RATES.decision),
      async (order) => {
        orders.splice(orders.indexOf(order), 1)
        const status = DECISIONS[Math.floor(random() * DECISIONS.length)]!
        await controls.dispute({ storeId, orderId: order.id, status })
      }
    )
    await each(
      pickOrders(RATES.dispute).filter(({ dispute }) => dispute === null),
      async ({ id }) => {
        await controls.dispute({ storeId, orderId: id, type: random() < 0.3 ? 'inquiry' : 'chargeback' })
        report.disputes++
      }
    )
    await each(
      pickOrders(RATES.cancelOrder).filter(({ isPlain }) => isPlain),
      ({ id }) => controls.cancelOrder({ storeId, orderId: id, refund: random() < 0.5 ? 'all' : 'none' })
    )
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
        some(RATES.card, ({ state }) => state === 'active'),
        ['insufficient_funds', 'success'],
        true
      )
    }
    now = now.add({ hours: 24 * STEP_DAYS })
    await shop.advance({ to: now.toString() })
    await findSubscriptions(service, storeId, people)
  }
  await controls.setWebhookFaults({ storeId, faults: null })
  await shop.advance({ to: now.add({ hours: 2 * 24 * STEP_DAYS }).toString() })

  const { findings } = (await service.admin('POST', '/doctor', {})) as { findings: object[] }
  assert.deepEqual(findings, [])
  const tagsCompared = await compareWithPlatform(service, storeId, { memberships: MEMBERSHIPS, active })
  const { entries } = await service.db.inStore(storeId, ({ tx }) =>
    tx.one(row({ entries: int }), sql`select count(*) as entries from credit_entries where store_id = ${storeId}`)
  )
  return { members, months, ...report, creditEntries: entries, tagsCompared }
}

async function openShop(service: Service, seed: number): Promise<Shop> {
  const shop = await aStoreWithEvents(service, { clock: START, domain: `simulated-${seed}.example` })
  const { product } = await shop.shop(
    `mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }`,
    { product: { title: 'Beans', status: 'ACTIVE' } }
  )
  for (const { name, type, share: _share, ...terms } of PLANS) {
    if (type === 'none' || type === 'both') continue
    const { credit, ...rest } = terms as { credit?: number }
    await service.admin('POST', `${shop.at}/plans`, {
      name,
      type,
      interval: 'month',
      ...rest,
      ...(type === 'product' ? { product_ids: [product.id] } : {}),
      ...(credit ? { perks: { store_credit: { amount: credit, type: 'coupon' } } } : {})
    })
  }
  return shop
}

/** Spends, holds or adds credit, as an integrator does. What the account lacks is refused. */
async function moveCredit(
  service: Service,
  storeId: number,
  person: Person,
  { random, step, report }: { random: () => number; step: number; report: { reservations: number } }
): Promise<void> {
  const operation = `simulated:${step}:${person.id}`
  const amountMinor = 100 + Math.floor(random() * 1500)
  const [way, end] = [random(), random()]
  await service.db.inStore(storeId, async (ctx) => {
    const known = await ctx.tx.maybeOne(
      row({ id: int }),
      sql`select id from members where store_id = ${storeId} and platform_customer_id = ${person.id}`
    )
    if (!known) return
    const memberId = known.id
    if (way < 0.3) {
      const expiresAt = ctx.now.add({ hours: 24 * 40 })
      await changeCredits(ctx, [
        { memberId, type: 'manual_add', amountMinor, reason: 'Simulated', operationId: operation, expiresAt }
      ])
    } else if (way < 0.5) {
      await changeCredits(ctx, [
        { memberId, type: 'manual_deduct', amountMinor: -amountMinor, reason: 'Simulated', operationId: operation }
      ])
    } else {
      const expiresAt = ctx.now.add({ minutes: 30 })
      const [held] = await reserveCredit(ctx, [
        { memberId, amountMinor, reason: 'Simulated', operationId: operation, expiresAt }
      ])
      if (!held?.reservation) return
      report.reservations++
      if (end < 0.6)
        await captureReservation(ctx, memberId, held.reservation.id, { amountMinor: Math.ceil(amountMinor * end) })
      else if (end < 0.8) await releaseReservation(ctx, memberId, held.reservation.id)
    }
  })
}

/** Orders of which something is left to refund: the shop's own list of them. */
function openOrders(service: Service, storeId: number) {
  return service.sandboxDb.inInstallation((tx) =>
    tx.many(
      row({ id: text, leftMinor: int, isPlain: bool, dispute: nullable(oneOf('open', 'decided')) }),
      sql`
      select o.id::text as id, o.total_minor - o.refunded_minor as left_minor,
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

const tierOf = ({ plan }: Person): keyof typeof MEMBERSHIPS => (plan === 'Elite' ? 'Elite' : 'Gold')

const decimal = (minor: number) => (minor / 100).toFixed(2)

function pickPlan(at: number): PlanName {
  let sum = 0
  return PLANS.find(({ share }) => at < (sum += share))?.name ?? ''
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!]
  }
  return mixed
}
