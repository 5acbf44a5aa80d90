import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '#audit'
import { changeCredits } from '#credits'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { Refusal } from '#kit/refusal'
import { requestCode, revokeCode } from '#spending'
import { movePlatform, setClock } from '#stores'
import { aFaultyConnection } from '../test/faulty-connection.ts'
import { freePort } from '../test/service-process.ts'
import { examineCodes, examineCredit } from './examine-codes.ts'
import { startBesidePlatform, startPlatform } from './platform.ts'

const DOMAIN = 'codes-trial.example'

export type CreditCodesTrial = {
  databaseUrl: string
  dataDir: string
  customers: number
  kills: number
  seed: number
  /** Shares of the answers about codes that get lost: after it was done, and before. */
  lost: number
  unheard: number
}
export type CreditCodesReport = {
  customers: number
  kills: number
  /** Codes that were asked for, those that orders used in full and in part, revoked ones, and those whose time was over. */
  codes: number
  full: number
  part: number
  revoked: number
  expired: number
  /** Orders with a code that were cancelled, or refunded in part. */
  returned: number
  /** Mutations whose answer could get lost. */
  mutations: number
}

/** Of all calls of the platform, besides the answers that it loses itself. */
const LINE_FAULTS = { lost: 0.01, hung: 0, slow: 0.02, '503': 0.01 }
/** An order whose messages are dropped is found only by asking the platform for orders with the code. */
const MESSAGE_FAULTS = { drop: 0.3, duplicate: 0.2 }
const STEPS_PER_KILL = 4
const SETTLED_WITHIN_MS = 300_000

/**
 * Customers ask for codes, use them up or in part, revoke them or let them expire, while the platform loses a share of its answers and
 * of its messages, and the service is killed again and again. At no time may a code be usable whose credit was released; in the end
 * each used code is booked once for what its order took, and every balance is what was done, to the cent.
 */
export async function spendByCodes(trial: CreditCodesTrial): Promise<CreditCodesReport> {
  const { seed, customers: size } = trial
  const random = randomFrom(seed)
  const port = await freePort()
  const platform = await startPlatform(trial.databaseUrl, `http://127.0.0.1:${port}`)
  const line = await aFaultyConnection({ target: platform.url, shares: LINE_FAULTS, seed })
  const start = (platformSeconds = 2) => startBesidePlatform({ ...trial, port, platformSeconds })
  let service: Awaited<ReturnType<typeof start>> | null = null
  try {
    const storeId = await platform.aStore(DOMAIN, size)
    service = await start(60)
    const at = `/stores/store_${storeId}`
    await service.call('POST', `${at}/plans`, {
      name: 'Gold',
      type: 'vip',
      price: '29.00',
      interval: 'month',
      perks: { store_credit: { amount: '5.00', type: 'coupon' } }
    })
    await movePlatform(platform.db, storeId, `${line.url}/${DOMAIN}`)
    await service.kill()
    service = await start()
    const { lost, unheard } = trial
    await platform.controls.setAnswerFaults({ storeId, faults: { lost, unheard, seed } })
    await platform.controls.setWebhookFaults({ storeId, faults: { ...MESSAGE_FAULTS, seed } })

    const world = await createWorld(platform, storeId, random, size)
    for (let kill = 0; kill < trial.kills; kill++) {
      for (let step = 0; step < STEPS_PER_KILL; step++) {
        await world.act()
        await platform.send(storeId)
        await sleep(random() * 1_500)
        await examineCodes(platform.db, storeId)
      }
      // Begins what is due; it seldom ends before the kill.
      service.call('POST', `${at}/store-credits/reconcile`, {}).catch(() => {})
      await world.act()
      await sleep(random() * 2_500)
      await service.kill()
      await examineCodes(platform.db, storeId)
      service = await start()
    }

    const { call } = service
    const deadline = Date.now() + SETTLED_WITHIN_MS
    const settle = async () => {
      for (let open = await world.open(); open > 0; open = await world.open()) {
        assert.ok(Date.now() < deadline, `${open} codes or facts are still open`)
        await world.later(12)
        await world.rested()
        await platform.send(storeId)
        await call('POST', `${at}/store-credits/reconcile`, {}).catch(() => {})
        await sleep(200)
        await examineCodes(platform.db, storeId)
      }
    }
    await settle()
    // Refunds and cancellations whose messages were dropped are found by the walk over recent orders, which lost answers put off too.
    await world.touchOrders()
    do {
      assert.ok(Date.now() < deadline, 'the walk over the recent orders does not end')
      await call('POST', `${at}/reconcile`, {})
    } while (!(await world.isWalked()))
    await settle()
    await examineCodes(platform.db, storeId)
    await examineCredit(platform.db, storeId, world.expected())
    assert.deepEqual((await platform.db.inStore(storeId, audit)).findings, [])
    return { customers: size, kills: trial.kills, ...world.done, ...(await world.counts()) }
  } finally {
    await service?.kill()
    line.close()
    await platform.close()
  }
}

type Platform = Awaited<ReturnType<typeof startPlatform>>
type Order = { customerId: string; code: string; id: string; tookMinor: number; restMinor: number }

/** What the customers do with their credit, and what must come of it. */
async function createWorld({ db, controls }: Platform, storeId: number, random: () => number, size: number) {
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => db.inStore(storeId, work)
  const done = { codes: 0, full: 0, part: 0, revoked: 0, returned: 0 }
  const added = new Map<string, number>()
  const taken = new Map<string, { customerId: string; tookMinor: number; backMinor: number }>()
  const orders: Order[] = []
  /** Of this step: refunded at the same instant of the clock, an order would look as it was, and only a message that may be dropped would say so. */
  let placed: Order[] = []
  const upTo = (most: number) => 1 + Math.floor(random() * most)
  let operation = 0
  const customers = await inStore((ctx) =>
    ctx.tx.many(
      row({ memberId: int, customerId: text }),
      sql`
      select id as member_id, platform_customer_id as customer_id from members where store_id = ${ctx.storeId} order by id`
    )
  )
  assert.equal(customers.length, size)
  type Customer = (typeof customers)[number]

  const change = async ({ memberId, customerId }: Customer, amountMinor: number) => {
    const type = amountMinor > 0 ? ('manual_add' as const) : ('manual_deduct' as const)
    const operationId = `trial:${++operation}`
    const [outcome] = await inStore((ctx) =>
      changeCredits(ctx, [{ memberId, type, amountMinor, reason: 'Trial', operationId }])
    )
    if (!outcome!.refusal) added.set(customerId, (added.get(customerId) ?? 0) + amountMinor)
  }
  const unlessRefused = async <T>(work: Promise<T>): Promise<T | null> =>
    work.catch((err: unknown) => {
      if (err instanceof Refusal) return null
      throw err
    })
  const ask = async ({ memberId }: Customer) => {
    const [amountMinor, minutes] = [upTo(2_000), upTo(45)]
    const code = await unlessRefused(inStore((ctx) => requestCode(ctx, { memberId, amountMinor, minutes })))
    if (code) done.codes++
  }
  const codesOf = ({ memberId }: Customer) =>
    inStore((ctx) =>
      ctx.tx.many(
        row({ id: int, code: text, amountMinor: int }),
        sql`
        select c.id, c.code, c.amount_minor from credit_codes c
         where c.store_id = ${ctx.storeId} and c.member_id = ${memberId} and c.status in ('pending', 'active', 'ending') order by c.id`
      )
    )
  const oneOf = <T>(list: T[]): T | undefined => list[Math.floor(random() * list.length)]
  /** Whatever our status of it: the platform decides whether it still takes the code. */
  const use = async (customer: Customer) => {
    const { customerId } = customer
    const found = oneOf(await codesOf(customer))
    const totalMinor = upTo(3_000)
    if (!found) return
    const total = (totalMinor / 100).toFixed(2)
    const order = await unlessRefused(controls.order({ storeId, customerId, total, codes: [found.code] }))
    if (!order) return
    const tookMinor = Math.min(totalMinor, found.amountMinor)
    assert.ok(!taken.has(found.code), `the platform took ${found.code} twice`)
    taken.set(found.code, { customerId, tookMinor, backMinor: 0 })
    placed.push({ customerId, code: found.code, id: order.id, tookMinor, restMinor: totalMinor - tookMinor })
    if (tookMinor === found.amountMinor) done.full++
    else done.part++
  }
  const revoke = async (customer: Customer) => {
    const found = oneOf(await codesOf(customer))
    if (found && (await unlessRefused(inStore((ctx) => revokeCode(ctx, customer.memberId, found.id))))) done.revoked++
  }
  const giveBack = async () => {
    const [order] = orders.splice(Math.floor(random() * orders.length), 1)
    if (!order) return
    const { id: orderId, tookMinor, restMinor, code } = order
    const refundMinor = restMinor > 1 && random() < 0.5 ? upTo(restMinor - 1) : null
    if (refundMinor === null) await controls.cancelOrder({ storeId, orderId, refund: 'all' })
    else await controls.refund({ storeId, orderId, amount: (refundMinor / 100).toFixed(2) })
    done.returned++
    taken.get(code)!.backMinor = refundMinor === null ? tookMinor : Math.floor((tookMinor * refundMinor) / restMinor)
  }
  const later = (minutes: number) => inStore((ctx) => setClock(ctx, ctx.now.add({ minutes })))
  for (const customer of customers) await change(customer, 10_000)

  return {
    done,
    later,
    /** One thing for every customer, all at once; then some minutes pass. */
    async act() {
      await Promise.all(
        customers.map((customer) => {
          const roll = random()
          if (roll < 0.35) return ask(customer)
          if (roll < 0.65) return use(customer)
          if (roll < 0.75) return revoke(customer)
          if (roll < 0.85) return giveBack()
          return change(customer, (random() < 0.5 ? 1 : -1) * upTo(1_500))
        })
      )
      await later(upTo(3))
      orders.push(...placed)
      placed = []
    },
    /** As if the real time had passed for which codes rest after a failure; calls that may be under way are waited for all the same. */
    rested: () =>
      inStore((ctx) => ctx.tx.run(sql`update credit_codes set rests_until = null where store_id = ${ctx.storeId}`)),
    /**
     * A later revision of every order. The clock stands still between moves: one that was tagged and refunded at the same instant would look
     * as it was before, and only the refund's message, which may be dropped, would say so.
     */
    async touchOrders() {
      await later(1)
      await inStore((ctx) =>
        ctx.tx.run(sql`
        update sandbox.orders set updated_at = (select clock_at from stores where store_id = ${ctx.storeId}) where store_id = ${ctx.storeId}`)
      )
    },
    /** Whether the last walk over the recent orders came to its end. */
    async isWalked(): Promise<boolean> {
      const { walking } = await inStore((ctx) =>
        ctx.tx.one(
          row({ walking: int }),
          sql`
          select count(*) as walking from order_walks
           where store_id = ${ctx.storeId} and kind = 'recent' and (failures > 0 or started_at is not null)`
        )
      )
      return walking === 0
    },
    /** How much is still to be done. */
    async open(): Promise<number> {
      const { left } = await inStore((ctx) =>
        ctx.tx.one(
          row({ left: int }),
          sql`
          select (select count(*) from credit_codes
                   where store_id = ${ctx.storeId} and (status in ('pending', 'active', 'ending') or due_at is not null))
                 + (select count(*) from facts where store_id = ${ctx.storeId} and position is null)
                 + (select count(*) from fact_consumers
                     where store_id = ${ctx.storeId} and consumer = 'spending' and position < last_position) as left`
        )
      )
      return left
    },
    expected() {
      const balances = new Map(added)
      for (const { customerId, tookMinor, backMinor } of taken.values()) {
        balances.set(customerId, (balances.get(customerId) ?? 0) - tookMinor + backMinor)
      }
      return { balances, taken: new Map([...taken].map(([code, { tookMinor }]) => [code, tookMinor])) }
    },
    async counts() {
      return inStore((ctx) =>
        ctx.tx.one(
          row({ expired: int, mutations: int }),
          sql`
          select (select count(*) from credit_codes where store_id = ${ctx.storeId} and ended_by = 'expired' and status = 'ended') as expired,
                 (select faulty_answers from sandbox.shops where store_id = ${ctx.storeId}) as mutations`
        )
      )
    }
  }
}
