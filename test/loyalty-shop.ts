import { findCustomerId, parseCustomerId } from '#members'
import { findPoints } from '#points'
import { aStoreWithEvents } from './recorded-events.ts'
import type { startService } from './service-builder.ts'

type Service = Awaited<ReturnType<typeof startService>>
type Store = Awaited<ReturnType<typeof aStoreWithEvents>>

/** The platform's number of a new product of a shop. */
export async function aProduct({ shop }: Pick<Store, 'shop'>, title: string): Promise<string> {
  const created = await shop(
    `mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }`,
    { product: { title, handle: title.toLowerCase(), status: 'ACTIVE' } }
  )
  return created.product.id.split('/').at(-1)
}

/** A sandbox shop with rules of loyalty, and what its customers do there. `settings`: of its section `loyalty`. */
export async function aLoyaltyShop(service: Service, settings: Record<string, unknown> = {}) {
  const store = await aStoreWithEvents(service)
  const { storeId, at } = store
  const { controls } = service.sandbox
  const settle = () => service.deps.settle(storeId)
  const memberOf = (platformId: string) =>
    service.db.inStore(storeId, async (ctx) => (await findCustomerId(ctx, parseCustomerId(platformId, 'platform')))!)
  if (Object.keys(settings).length > 0) await service.admin('PATCH', `${at}/settings`, { loyalty: settings })
  return {
    store,
    storeId,
    settle,
    memberOf,
    /** Creates a rule, whose facts are handled, and returns its id. */
    async rule(type: string, rules: object, reward: object, more: object = {}): Promise<number> {
      const body = { type, name: type, rules, reward_rules: reward, ...more }
      const { id } = await service.admin('POST', `${at}/loyalty/rules`, body)
      await settle()
      return id
    },
    /** The platform's number of a new customer. */
    async customer(email: string): Promise<string> {
      const { id } = await controls.createCustomer({ storeId, email })
      await settle()
      return id
    },
    async order(customerId: string, total: string, more: object = {}): Promise<string> {
      const { id } = await controls.order({ storeId, customerId, total, ...more })
      await settle()
      return id
    },
    async refund(orderId: string, amount?: string) {
      await controls.refund({ storeId, orderId, ...(amount && { amount }) })
      await settle()
    },
    async dispute(orderId: string, status: string) {
      await store.advance({ by: 'PT1M' })
      await controls.dispute({ storeId, orderId, status } as Parameters<typeof controls.dispute>[0])
      await settle()
    },
    /** Balance, pending and lifetime points. */
    async points(customerId: string) {
      const memberId = await memberOf(customerId)
      const found = (await service.db.inStore(storeId, (ctx) => findPoints(ctx, [memberId]))).get(memberId)
      return found ? [found.balance, found.pendingPoints, found.lifetimePoints] : [0, 0, 0]
    }
  }
}
