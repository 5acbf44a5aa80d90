import assert from 'node:assert/strict'
import { audit } from '#audit'
import { createFactEngines } from '#kit/outbox'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { spendingConsumer } from '#spending'
import { createCodeEngine } from '../src/spending/codes/code-engine.ts'
import { adminOf } from './admin-calls.ts'
import { withCalls } from './connectors.ts'
import type { startService } from './service-builder.ts'

type Service = Awaited<ReturnType<typeof startService>>

const Entry = row({ type: int, amount: int, mark: nullable(text), shortfall: int, orderId: nullable(text) })
const Discount = row({ code: text, uses: int, isOver: int })

/** A shop whose members have 25.00 of credit and spend it by codes. */
export async function aCodeShop(service: Service, creditType = 'coupon') {
  const { db } = service
  const { call } = adminOf(service)
  const store = await service.aStore()
  const { storeId } = store
  const connector = await service.deps.connectorOf(storeId)
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(storeId, work)
  const settle = () => service.deps.settle(storeId)
  const plan = await service.admin('POST', `${store.at}/plans`, {
    name: 'Gold',
    type: 'vip',
    price: '59.00',
    interval: 'month',
    perks: { store_credit: { amount: '25.00', type: creditType } }
  })
  const join = async (email = 'ada@example.com') => {
    const { customer } = await store.member(email, 'Gold')
    await settle()
    return customer.id
  }
  const request = (customerId: string, body: object = {}, headers = {}) =>
    service.post(`/store-credits/${customerId}/codes`, store.key, body, headers)
  /** Asks for a code and has the platform make it. */
  const aCode = async (customerId: string, body: object = {}) => {
    const asked = await request(customerId, body)
    assert.equal(asked.status, 200, JSON.stringify(asked.body))
    assert.equal(asked.body.data.code, null)
    await settle()
    const made = await code(customerId, asked.body.data.id)
    assert.equal(made.status, 'active', JSON.stringify(made))
    return made as { id: string; code: string }
  }
  const code = async (customerId: string, codeId: string) =>
    (await service.get(`/store-credits/${customerId}/codes/${codeId}`, store.key)).body.data
  const revoke = (customerId: string, codeId: string) =>
    service.post(`/store-credits/${customerId}/codes/${codeId}/revoke`, store.key, {})
  const order = (customerId: string, total: string, codes: string[]) =>
    service.sandbox.controls.order({ storeId, customerId, total, codes })
  const credit = async (customerId: string) => {
    const { balance, reserved, available } = (await service.get(`/store-credits/${customerId}`, store.key)).body.data
    return { balance, reserved, available }
  }
  const entries = async (customerId: string) =>
    (
      await inStore((ctx) =>
        ctx.tx.many(
          Entry,
          sql`
        select e.type::int, e.amount_minor as amount, e.mark, e.shortfall_minor as shortfall, o.platform_order_id as order_id
          from credit_entries e join members m on m.store_id = ${ctx.storeId} and m.id = e.member_id
          left join orders o on o.store_id = ${ctx.storeId} and o.id = e.order_id
         where e.store_id = ${ctx.storeId} and m.platform_customer_id = ${customerId} and e.type <> 1 order by e.id`
        )
      )
    ).map(({ type, amount, mark, shortfall, orderId }) =>
      [type, amount, mark, shortfall > 0 ? `short ${shortfall}` : null, orderId].filter((part) => part !== null)
    )
  /** The codes on the platform. */
  const onPlatform = () =>
    inStore((ctx) =>
      ctx.tx.many(
        Discount,
        sql`
        select c.code, d.usage_count as uses, (d.ends_at <= ${ctx.now})::int as is_over
          from sandbox.discounts d
          join sandbox.redeem_codes c on c.store_id = ${ctx.storeId} and c.discount_id = d.id
         where d.store_id = ${ctx.storeId} order by d.id`
      )
    )
  const tagsOf = async (orderId: string) => {
    const found = await connector.tags.findMany('order', [orderId])
    assert.ok(found.ok)
    return found.value.get(orderId)
  }
  const engine = (calls: Parameters<typeof withCalls>[1], leaseOwner = 1) =>
    createCodeEngine({
      db,
      leaseOwner,
      maxCallMs: 60_000,
      connectorOf: async () => withCalls(connector, calls),
      patience: { slowMs: 10, comeBackMs: 20 }
    })
  /** As if the time had passed for which codes rest, and calls could arrive. */
  const wake = () =>
    inStore((ctx) =>
      ctx.tx.run(sql`
      update credit_codes set rests_until = null, settles_at = statement_timestamp() - interval '1 second'
       where store_id = ${ctx.storeId}`)
    )
  const findings = async () => (await inStore(audit)).findings
  return {
    store,
    storeId,
    plan,
    connector,
    controls: service.sandbox.controls,
    call: (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => call(store, method, path, body),
    inStore,
    settle,
    join,
    request,
    aCode,
    code,
    revoke,
    order,
    credit,
    entries,
    onPlatform,
    tagsOf,
    engine,
    wake,
    findings
  }
}

export async function runOut(engine: ReturnType<typeof createCodeEngine>, storeId: number) {
  while ((await engine.runOnce(storeId)) > 0);
}

/** Brings facts to the consumer, without the engine of the codes. */
export async function deliverFacts(db: Service['db'], storeId: number) {
  const engines = createFactEngines({ db, consumers: [spendingConsumer] })
  for (let done = 1; done > 0; ) {
    done = 0
    for (const engine of engines) done += await engine.runOnce(storeId)
  }
}
