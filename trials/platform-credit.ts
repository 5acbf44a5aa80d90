import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '#audit'
import { changeCredits } from '#credits'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { movePlatform } from '#stores'
import { aFaultyConnection } from '../test/faulty-connection.ts'
import { freePort } from '../test/service-process.ts'
import { until } from '../test/until.ts'
import { startBesidePlatform, startPlatform } from './platform.ts'

const DOMAIN = 'credit-trial.example'

export type PlatformCreditTrial = {
  databaseUrl: string
  dataDir: string
  customers: number
  kills: number
  seed: number
  /** Shares of the answers to changes of credit that get lost: after it was done, and before. */
  lost: number
  unheard: number
  /** Whether the plan pays out gift cards; accounts of store credit when left out. Nobody changes cards by hand: to judge that takes minutes. */
  onCards?: boolean
}
export type PlatformCreditReport = {
  customers: number
  kills: number
  killedUnderWay: number
  /** Changes of the ledger, checkouts that spent credit, refunds of them, and changes by hand on the platform. */
  changes: number
  spent: number
  returned: number
  byHand: number
  /** Credits and debits that we sent, and of these the ones that had not arrived when they were looked for. */
  pushes: number
  unseen: number
  /** Mutations whose answer could get lost, so many of which did. */
  mutations: number
}

/** Of all calls of the platform, besides the answers that it loses itself. */
const LINE_FAULTS = { lost: 0.01, hung: 0, slow: 0.02, '503': 0.01 }
const STEPS_PER_KILL = 3
/** Longer than an account waits for an order that nobody reports. */
const SETTLED_WITHIN_MS = 500_000
/** Every second customer spends at the checkout of the platform; of the others the ledger is also deducted. */
const spendsThere = (nth: number) => nth % 2 === 1

/**
 * Changes credit in the ledger and on the platform at random, also by hand there and at its checkout, while the platform loses a share
 * of its answers to credits and debits, which have no idempotency key, and the service is killed again and again. In the end the ledger,
 * the platform's account and what was done must agree for every customer, to the cent, and the auditor must have no findings.
 */
export async function mirrorCredit(trial: PlatformCreditTrial): Promise<PlatformCreditReport> {
  const random = randomFrom(trial.seed)
  const port = await freePort()
  const platform = await startPlatform(trial.databaseUrl, `http://127.0.0.1:${port}`)
  const line = await aFaultyConnection({ target: platform.url, shares: LINE_FAULTS, seed: trial.seed })
  const start = (platformSeconds = 2) => startBesidePlatform({ ...trial, port, platformSeconds })
  let service: Awaited<ReturnType<typeof start>> | null = null
  try {
    const storeId = await platform.aStore(DOMAIN, trial.customers)
    service = await start(60)
    const at = `/stores/store_${storeId}`
    await service.call('POST', `${at}/plans`, {
      name: 'Gold',
      type: 'vip',
      price: '29.00',
      interval: 'month',
      perks: { store_credit: { amount: '5.00', type: trial.onCards ? 'giftcard' : 'storecredit' } }
    })
    await movePlatform(platform.db, storeId, `${line.url}/${DOMAIN}`)
    await service.kill()
    service = await start()
    const faults = { lost: trial.lost, unheard: trial.unheard, seed: trial.seed }
    await platform.controls.setAnswerFaults({ storeId, faults })

    const world = createWorld(platform, storeId, random, { size: trial.customers, onCards: trial.onCards ?? false })
    let killedUnderWay = 0
    for (let kill = 0; kill < trial.kills; kill++) {
      for (let step = 0; step < STEPS_PER_KILL; step++) await world.act()
      const settled = service.call('POST', `${at}/store-credits/reconcile`, {}).then(
        () => true,
        () => false
      )
      await world.act()
      await sleep(random() * 4_000)
      await service.kill()
      if (!(await settled)) killedUnderWay++
      service = await start()
    }

    const { call } = service
    // Once: each time the tries of an account begin anew, and one that waits for an order would wait for ever.
    let isAsked = false
    const reconcile = () => call('POST', `${at}/store-credits/reconcile`, {})
    await until(
      'every account is compared',
      async () => {
        isAsked ||= await reconcile().then(
          () => true,
          () => false
        )
        return isAsked && (await world.waiting()) === 0
      },
      SETTLED_WITHIN_MS
    )
    await world.check()
    assert.deepEqual((await platform.db.inStore(storeId, audit)).findings, [])
    return { customers: trial.customers, kills: trial.kills, killedUnderWay, ...world.done, ...(await world.counts()) }
  } finally {
    await service?.kill()
    line.close()
    await platform.close()
  }
}

type Platform = Awaited<ReturnType<typeof startPlatform>>
type Customer = { nth: number; memberId: number; platformId: string }

const Balance = row({ platformId: text, ledger: int, platform: int })

/** What happens to the credit of the customers, and what each must have in the end. */
function createWorld(
  platform: Platform,
  storeId: number,
  random: () => number,
  { size, onCards }: { size: number; onCards: boolean }
) {
  const { db, controls } = platform
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => db.inStore(storeId, work)
  const expected = new Map<string, number>()
  const done = { changes: 0, spent: 0, returned: 0, byHand: 0 }
  const orders: { customer: Customer; orderId: string; creditMinor: number }[] = []
  const upTo = (most: number) => 1 + Math.floor(random() * most)
  let operation = 0
  let customers: Customer[] | null = null

  const listed = async (): Promise<Customer[]> => {
    const rows = await inStore((ctx) =>
      ctx.tx.many(
        row({ memberId: int, platformId: text }),
        sql`
        select id as member_id, platform_customer_id as platform_id from members where store_id = ${ctx.storeId} order by id`
      )
    )
    assert.equal(rows.length, size)
    return rows.map((one, nth) => ({ nth, ...one }))
  }
  const count = (customer: Customer, amountMinor: number) =>
    expected.set(customer.platformId, (expected.get(customer.platformId) ?? 0) + amountMinor)

  /** In the ledger, as a request or a paid cycle changes it. A deduction of more than is there is refused. */
  const change = async (customer: Customer, amountMinor: number) => {
    const { memberId } = customer
    const type = amountMinor > 0 ? ('manual_add' as const) : ('manual_deduct' as const)
    const operationId = `trial:${++operation}`
    const [outcome] = await inStore((ctx) =>
      changeCredits(ctx, [{ memberId, type, amountMinor, reason: 'Trial', operationId }])
    )
    if (outcome!.refusal) return
    done.changes++
    count(customer, amountMinor)
  }
  /** At the checkout of the platform; refused where the account does not have so much. */
  const spend = async (customer: Customer, creditMinor: number) => {
    if (onCards) return spendCard(customer, creditMinor)
    const credit = (creditMinor / 100).toFixed(2)
    const order = await controls
      .order({ storeId, customerId: customer.platformId, total: credit, credit })
      .catch(() => null)
    if (!order) return
    done.spent++
    count(customer, -creditMinor)
    orders.push({ customer, orderId: order.id, creditMinor })
  }
  /** With the newest card of the customer, which pays as far as it goes. */
  const spendCard = async (customer: Customer, totalMinor: number) => {
    const { platformId: customerId } = customer
    const card = await db.inInstallation((tx) =>
      tx.maybeOne(
        row({ code: text }),
        sql`
        select code from sandbox.gift_cards where store_id = ${storeId} and customer_id = ${customerId} order by id desc limit 1`
      )
    )
    if (!card) return
    const total = (totalMinor / 100).toFixed(2)
    const order = await controls.order({ storeId, customerId, total, giftCard: card.code }).catch(() => null)
    if (!order) return
    const { creditMinor } = await db.inInstallation((tx) =>
      tx.one(
        row({ creditMinor: int }),
        sql`
        select coalesce(sum(amount_minor), 0)::bigint as credit_minor from sandbox.transactions
         where store_id = ${storeId} and order_id = ${order.id} and kind = 'SALE' and gateway = 'gift_card'`
      )
    )
    done.spent++
    count(customer, -creditMinor)
    orders.push({ customer, orderId: order.id, creditMinor })
  }
  const giveBack = async () => {
    const [order] = orders.splice(Math.floor(random() * orders.length), 1)
    if (!order) return
    const { customer, orderId, creditMinor } = order
    if (random() < 0.5) await controls.cancelOrder({ storeId, orderId, refund: 'all' })
    else await controls.refund({ storeId, orderId })
    done.returned++
    count(customer, creditMinor)
  }
  /** As the shop's staff changes the account; nothing happens where it would fall below zero, or does not exist. */
  const byHand = async (customer: Customer, amountMinor: number) => {
    const moved = await db.inInstallation((tx) =>
      tx.maybeOne(
        row({ id: text }),
        sql`
        with moved as (
          update sandbox.credit_accounts set balance_minor = balance_minor + ${amountMinor}
           where store_id = ${storeId} and customer_id = ${customer.platformId} and balance_minor + ${amountMinor} >= 0
          returning id, balance_minor)
        insert into sandbox.credit_transactions (store_id, account_id, amount_minor, balance_after_minor, event, created_at)
        select ${storeId}, m.id, ${amountMinor}, m.balance_minor, 'ADJUSTMENT', s.clock_at
          from moved m join stores s on s.store_id = ${storeId}
        returning id::text as id`
      )
    )
    if (!moved) return
    done.byHand++
    count(customer, amountMinor)
  }

  return {
    done,
    /** One thing for every customer, all at once. */
    async act() {
      customers ??= await listed()
      await Promise.all(
        customers.map(async (customer) => {
          const roll = random()
          const amountMinor = upTo(20) * 100
          // With cents, so that no change by hand is taken for one of ours whose answer is lost.
          const handMinor = upTo(10) * 100 + 37
          if (roll < 0.5) return change(customer, amountMinor)
          if (roll < 0.6) return onCards ? change(customer, amountMinor) : byHand(customer, handMinor)
          if (spendsThere(customer.nth)) {
            if (roll < 0.65 && !onCards) return byHand(customer, -handMinor)
            return roll < 0.9 ? spend(customer, amountMinor) : giveBack()
          }
          return change(customer, -amountMinor)
        })
      )
    },
    /** How much is still to be done. */
    async waiting(): Promise<number> {
      const { left } = await inStore((ctx) =>
        ctx.tx.one(
          row({ left: int }),
          sql`
          select (select count(*) from spending_accounts where store_id = ${ctx.storeId} and due_at is not null)
                 + (select count(*) from facts where store_id = ${ctx.storeId} and position is null)
                 + (select count(*) from fact_consumers
                     where store_id = ${ctx.storeId} and consumer = 'spending' and position < last_position)
                 + (select count(*) from spending_walks where store_id = ${ctx.storeId} and next_at <= ${ctx.now}) as left`
        )
      )
      return left
    },
    async check() {
      const balances = await db.inInstallation((tx) =>
        tx.many(
          Balance,
          sql`
          select m.platform_customer_id as platform_id, coalesce(a.balance_minor, 0) as ledger,
                 coalesce(p.balance_minor, 0)
                   + coalesce((select sum(g.balance_minor) from sandbox.gift_cards g
                                where g.store_id = ${storeId} and g.customer_id::text = m.platform_customer_id), 0)::bigint as platform
            from members m
            left join credit_accounts a on a.store_id = ${storeId} and a.member_id = m.id
            left join sandbox.credit_accounts p
                   on p.store_id = ${storeId} and p.customer_id::text = m.platform_customer_id
           where m.store_id = ${storeId} order by m.id`
        )
      )
      const wrong = balances.filter(({ platformId, ledger, platform: there }) => {
        const minor = expected.get(platformId) ?? 0
        return ledger !== minor || there !== minor
      })
      const shown = wrong.map((one) => ({ ...one, expected: expected.get(one.platformId) ?? 0 }))
      assert.deepEqual(shown, [], 'credit exists twice, or is lost')
      const { cards } = await db.inInstallation((tx) =>
        tx.one(
          row({ cards: int }),
          sql`select count(*) - count(distinct customer_id) as cards from sandbox.gift_cards where store_id = ${storeId}`
        )
      )
      assert.equal(cards, 0, 'a gift card was made twice')
    },
    async counts() {
      return db.inInstallation((tx) =>
        tx.one(
          row({ pushes: int, unseen: int, mutations: int }),
          sql`
          select (select count(*) from credit_pushes where store_id = ${storeId}) as pushes,
                 (select count(*) from credit_pushes where store_id = ${storeId} and status = 'unseen') as unseen,
                 (select faulty_answers from sandbox.shops where store_id = ${storeId}) as mutations`
        )
      )
    }
  }
}
