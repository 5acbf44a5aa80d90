import { upsertFromContracts } from '#contracts'
import { waitingKeys } from '#kit/jobs'
import { bool, type Database, int, nullable, row, sql, text } from '#kit/postgres'
import { listAlerts, setClock } from '#stores'
import { findSubscriptionByContract, listActivity, lockSubscriptions, syncContractJob } from '#subscriptions'
import type { ChargeFaults } from '../sandbox/index.ts'
import type { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { diagnose } from '../src/audit/diagnose.ts'
import { resultOf } from '../src/billing/attempts/attempt-result.ts'
import { openDueAttempts } from '../src/billing/charging/open-attempts.ts'
import { settleAttempts } from '../src/billing/settling/settle-attempts.ts'
import { connectorTo } from './connectors.ts'
import { theValue } from './fake-platform.ts'
import { aStore, type DunningChange } from './store-builder.ts'
import { submitAttempts } from './submit-attempts.ts'

const START = '2026-01-31T15:00:00Z'

/**
 * A member of a monthly plan who joined on 31 January through the sandbox's checkout. The test runs billing step by step; the
 * platform is the sandbox over its socket.
 */
export async function aChargedMember(
  db: Database,
  sandbox: Awaited<ReturnType<typeof startSandbox>>,
  outcome: string | string[] = 'success',
  dunning: DunningChange = {},
  chargeFaults?: ChargeFaults | null
) {
  const store = await aStore(db, { clockAt: Temporal.Instant.from(START), dunning })
  const shop = await sandbox.aShop({ now: START, ...(chargeFaults === undefined ? {} : { chargeFaults }) })
  const { storeId, inStore } = store
  const connector = connectorTo({ storeId, profile: 'platform', url: shop.base, accessToken: shop.shop.accessToken })
  await connector.products.createPlan({
    name: 'VIP',
    priceMinor: 2900,
    currency: 'USD',
    interval: 'month',
    intervalCount: 1
  })
  const { controls } = sandbox.sandbox
  const { id: customerId } = await controls.createCustomer({
    storeId: shop.storeId,
    email: 'ada@example.com',
    firstName: 'Ada',
    country: 'US'
  })
  const { contractId } = await controls.join({ storeId: shop.storeId, customerId, plan: 'VIP' })
  const contract = theValue(await connector.contracts.find(contractId))!
  const orders = theValue(await connector.orders.findMany([contract.originOrder!.id]))
  await inStore((ctx) => upsertFromContracts(ctx, [contract], [...orders.values()]))
  const { id } = (await inStore((ctx) => findSubscriptionByContract(ctx, contractId)))!
  const card = (next: string | string[]) => controls.setCard({ storeId: shop.storeId, customerId, outcome: next })
  await card(outcome)

  const goTo = async (when: string) => {
    const at = Temporal.Instant.from(when)
    await inStore((ctx) => setClock(ctx, at))
    shop.advance(shop.now.until(at))
    await shop.settle()
  }
  const doctor = (to = connector) =>
    diagnose({ db, chargesOf: () => controls.charges(shop.storeId), connectorOf: async () => to }, store.domain)
  const submit = () => submitAttempts(db, storeId, connector, 1)
  const attempts = () =>
    inStore(({ tx }) =>
      tx.many(
        row({
          id: int,
          key: text,
          status: text,
          code: nullable(text),
          retryAt: nullable(text),
          platform: nullable(text)
        }),
        sql`select id, idempotency_key as key, status, error_code as code, retry_at::text as retry_at,
                   platform_attempt_id as platform
              from billing_attempts where store_id = ${storeId} order by id`
      )
    )
  return {
    id,
    card,
    shop,
    doctor,
    customerId,
    goTo,
    inStore,
    storeId,
    connector,
    contractId,
    submit,
    /** Syncs the contract from the platform. */
    sync: async () => {
      const now = theValue(await connector.contracts.find(contractId))!
      return inStore((ctx) => upsertFromContracts(ctx, [now], []))
    },
    open: () => inStore((ctx) => openDueAttempts(ctx, 10)),
    /** [amount, requested amount if it differs, recovered] */
    amounts: async () =>
      (
        await inStore(({ tx }) =>
          tx.many(
            row({ amount: int, asked: nullable(int), recovered: bool }),
            sql`select amount_minor as amount, requested_minor as asked, recovered from billing_attempts
                 where store_id = ${storeId} order by id`
          )
        )
      ).map(({ amount, asked, recovered }) => [amount, asked, recovered]),
    /** Opens the due cycle, sends its attempt, and reads the result once the platform has resolved it. */
    async bill() {
      await inStore((ctx) => openDueAttempts(ctx, 10))
      await submit()
      await shop.settle()
      await goTo(shop.now.add({ minutes: 11 }).toString())
      await submit()
    },
    attempts,
    shown: async () => (await attempts()).map(({ status, code }) => [status, code]),
    /** Processes the platform's current state of an attempt, as a webhook would. */
    async recorded(platformId: string) {
      const found = theValue(await connector.billing.findAttempts([platformId]))
      const result = resultOf(found.get(platformId)!)!
      return inStore((ctx) => settleAttempts(ctx, [result]))
    },
    /** Whether a sync of the contract is enqueued. */
    isSynced: async () => (await inStore((ctx) => waitingKeys(ctx, syncContractJob, [contractId]))).size > 0,
    /** The doctor's findings about the platform's charges and ours. */
    disagreements: async () =>
      (await doctor()).findings.filter(({ check }) => check === 'platform_charges_agree').map(({ message }) => message),
    /** The names of the doctor's findings. */
    findings: async () => (await doctor()).findings.map(({ check }) => check),
    /** The names of the doctor's warnings. */
    warnings: async () => (await doctor()).warnings.map(({ check }) => check),
    charges: async () => (await controls.charges(shop.storeId)).map(({ idempotencyKey }) => idempotencyKey),
    now: async () => {
      const [s] = await inStore((ctx) => lockSubscriptions(ctx, [id]))
      return [s!.status, s!.cycleIndex, s!.cyclesPaid, s!.declines, s!.billingDueAt?.toString() ?? null]
    },
    kinds: async () =>
      (await inStore((ctx) => listActivity(ctx, id, { limit: 50, offset: 0 }))).rows.map(({ kind }) => kind),
    alerts: async () => (await inStore((ctx) => listAlerts(ctx))).alerts.map(({ kind }) => kind),
    events: () =>
      inStore(({ tx }) =>
        tx.many(
          row({ type: text }),
          sql`select name as type from facts where store_id = ${storeId} and name like 'billing.%' order by id`
        )
      )
  }
}
