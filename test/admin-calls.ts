import { createSubscription, type SubscriptionRequest } from '#contracts'
import { row, sql, text } from '#kit/postgres'
import { type ConnectorCalls, withCalls } from './connectors.ts'
import { OPERATOR_TOKEN, type startService } from './service-builder.ts'

type Service = Awaited<ReturnType<typeof startService>>
type Store = Awaited<ReturnType<Service['aStore']>>

/** Requests of an operator, and reads of their effects. */
export function adminOf(service: Service) {
  return {
    async call(store: Pick<Store, 'at'>, method: string, path: string, body?: object, key?: string) {
      const response = await fetch(`${service.urls.public}/admin/api${store.at}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${OPERATOR_TOKEN}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(key ? { 'idempotency-key': key } : {})
        },
        body: body && JSON.stringify(body)
      })
      return { status: response.status, body: (await response.json()) as any, headers: response.headers }
    },

    async planOf(store: Store, name = 'VIP'): Promise<string> {
      return (await service.admin('GET', `${store.at}/plans`)).data.find((plan: any) => plan.name === name).id
    },

    /** Each member's customer, status and tier. */
    async members(store: Store) {
      const { body } = await service.get('/members', store.key)
      return Object.fromEntries(
        body.data.map((m: any) => [m.customer.email, [m.status, m.tier, m.next_billing_date?.slice(0, 10) ?? null]])
      )
    },

    async recorded(store: Store) {
      const events = await service.db.inStore(store.storeId, ({ tx }) =>
        tx.many(
          row({ type: text, data: text }),
          sql`select name as type, data from facts
                where store_id = ${store.storeId} and name !~ '^(order|customer|plan|catalog_item)[.]' order by id`
        )
      )
      return events.map(({ type, data }) => ({ type, data: JSON.parse(data) }))
    },

    /** The history of a subscription, oldest first. */
    async activity(store: Store, id: string): Promise<any[]> {
      return (await service.get(`/subscriptions/${id}/activity`, store.key)).body.data.reverse()
    }
  }
}

/** Requests a membership for Ada as the admin route does, from a platform whose responses can be lost. */
export async function aSubscriptionRequest(
  service: Service,
  { storeId }: Pick<Store, 'storeId'>,
  over: Partial<SubscriptionRequest>
) {
  const connector = await service.deps.connectorOf(storeId)
  const requested: SubscriptionRequest = {
    customer: { memberId: null, platformId: null, email: 'ada@example.com' },
    planId: 0,
    variantId: null,
    quantity: null,
    nextBillingAt: Temporal.Instant.from('2026-02-10T05:00:00Z'),
    paymentMethodId: null,
    priceMinor: null,
    maxCycles: null,
    status: 'active',
    receiver: null,
    ...over
  }
  const lost = {
    ok: false as const,
    failure: { kind: 'unavailable' as const, message: 'reset', outcomeUnknown: true as const }
  }
  const create = (calls: ConnectorCalls = {}) =>
    createSubscription(service.db, storeId, withCalls(connector, calls), requested, {
      key: null,
      fingerprint: Buffer.from('one'),
      by: 'operator'
    })
  return {
    connector,
    create,
    responseLost: () =>
      create({ contracts: { create: async (r) => (await connector.contracts.create(r)).map(() => lost) } }),
    callLost: () => create({ contracts: { create: async (r) => r.map(() => lost) } }),
    aMinuteLater: () =>
      service.db.inInstallation((q) =>
        q.run(sql`
        update subscription_creations set requested_at = requested_at - interval '2 minutes' where store_id = ${storeId}`)
      )
  }
}
