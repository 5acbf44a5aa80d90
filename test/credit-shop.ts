// A shop whose members spend store credit on the platform, for tests with the sandbox over its socket.
import assert from 'node:assert/strict'
import { audit } from '#audit'
import { createFactEngines } from '#kit/outbox'
import { bool, type Database, int, nullable, row, sql, text } from '#kit/postgres'
import { spendingConsumer } from '#spending'
import { createAccountEngine } from '../src/spending/platform-account/account-engine.ts'
import { adminOf } from './admin-calls.ts'
import { type ConnectorCalls, withCalls } from './connectors.ts'
import type { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'

const Entry = row({
  type: int,
  amount: int,
  mark: nullable(text),
  shortfall: int,
  hasOrder: bool
})

/** With the calls that its tests share. */
export async function aCreditShop(service: Awaited<ReturnType<typeof startService>>) {
  const { db } = service
  const { call } = adminOf(service)
  const store = await service.aStore()
  const { storeId } = store
  const connector = await service.deps.connectorOf(storeId)
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(storeId, work)
  const settle = () => service.deps.settle(storeId)
  const { controls } = service.sandbox

  const join = async (email: string, plan = 'VIP') => {
    const { customer } = await store.member(email, plan)
    await settle()
    return customer.id
  }
  /** What the customer has on the platform, in minor units. */
  const onPlatform = async (customerId: string) => {
    const found = await connector.storeCredit.findMany([customerId], 'USD')
    assert.ok(found.ok)
    return found.value.get(customerId)?.balanceMinor ?? 0
  }
  const change = async (customerId: string, action: 'add' | 'deduct', amount: string) => {
    const done = await call(store, 'POST', `/store-credits/${customerId}/${action}`, { amount, reason: 'a test' })
    assert.equal(done.status, 200, JSON.stringify(done.body))
  }
  const add = async (customerId: string, amount: string) => {
    await change(customerId, 'add', amount)
    await settle()
  }
  const balance = async (customerId: string) =>
    (await call(store, 'GET', `/store-credits/${customerId}`)).body.balance as string
  const entries = async (customerId: string) =>
    (
      await inStore((ctx) =>
        ctx.tx.many(
          Entry,
          sql`
        select e.type::int, e.amount_minor as amount, e.mark, e.shortfall_minor as shortfall, e.order_id is not null as has_order
          from credit_entries e join members m on m.store_id = ${ctx.storeId} and m.id = e.member_id
         where e.store_id = ${ctx.storeId} and m.platform_customer_id = ${customerId} order by e.id`
        )
      )
    ).map(({ type, amount, mark, shortfall, hasOrder }) =>
      [type, amount, mark, shortfall > 0 ? `short ${shortfall}` : null, hasOrder ? 'order' : null].filter(
        (part) => part !== null
      )
    )
  const account = async (customerId: string) =>
    inStore((ctx) =>
      ctx.tx.maybeOne(
        row({ mirrored: int, isDue: bool, problem: nullable(text), lastError: nullable(text), attempts: int }),
        sql`
        select a.mirrored_minor as mirrored, a.due_at is not null as is_due, a.problem, a.last_error, a.attempts
          from spending_accounts a join members m on m.store_id = ${ctx.storeId} and m.id = a.member_id
         where a.store_id = ${ctx.storeId} and m.platform_customer_id = ${customerId}`
      )
    )
  /** As somebody in the shop, or another app, changes the account. */
  const byHand = async (customerId: string, amountMinor: number) => {
    const { credit, debit } = connector.storeCredit
    const done =
      amountMinor > 0 ? await credit(customerId, amountMinor, 'USD') : await debit(customerId, -amountMinor, 'USD')
    assert.ok(done.ok, JSON.stringify(done))
  }
  const walk = async () => {
    const done = await call(store, 'POST', '/store-credits/reconcile', {})
    assert.equal(done.status, 202, JSON.stringify(done.body))
    await settle()
  }
  const order = (customerId: string, total: string, credit: string) =>
    controls.order({ storeId, customerId, total, credit })
  const engine = (calls: ConnectorCalls, options: { leaseOwner?: number; maxCallMs?: number } = {}) =>
    createAccountEngine({
      db,
      vault: testVault,
      leaseOwner: options.leaseOwner ?? 1,
      maxCallMs: options.maxCallMs ?? 60_000,
      connectorOf: async () => withCalls(connector, calls),
      patience: { slowMs: 10, comeBackMs: 20 }
    })
  const plan = (name: string, type: string, creditType: string, amount = '5.00') =>
    service.admin('POST', `${store.at}/plans`, {
      name,
      type,
      price: '59.00',
      interval: 'month',
      perks: { store_credit: { amount, type: creditType } }
    })
  const findings = async () => (await inStore(audit)).findings
  return {
    store,
    storeId,
    connector,
    controls,
    inStore,
    settle,
    join,
    onPlatform,
    change,
    add,
    balance,
    entries,
    account,
    byHand,
    walk,
    order,
    engine,
    plan,
    findings
  }
}

/** Runs the engine until nothing is due. */
export const runOut = async (engine: ReturnType<typeof createAccountEngine>, storeId: number) => {
  while ((await engine.runOnce(storeId)) > 0);
}

/** Brings facts to the consumer, without the engine of the accounts. */
export async function deliverFacts(db: Database, storeId: number) {
  const engines = createFactEngines({ db, consumers: [spendingConsumer] })
  for (let done = 1; done > 0; ) {
    done = 0
    for (const engine of engines) done += await engine.runOnce(storeId)
  }
}

/** As if the time had passed for which accounts rest. */
export const wake = (inStore: Awaited<ReturnType<typeof aCreditShop>>['inStore']) =>
  inStore((ctx) => ctx.tx.run(sql`update spending_accounts set rests_until = null where store_id = ${ctx.storeId}`))
