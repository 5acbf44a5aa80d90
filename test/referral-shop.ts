import { int, json, nullable, row, sql, text } from '#kit/postgres'
import { refreshOrders } from '../src/order-effects/refresh-orders.ts'
import { aLoyaltyShop } from './loyalty-shop.ts'
import type { startService } from './service-builder.ts'

/** What an order is made to be, as if the platform had reported it. */
type Reported = { codes?: string[]; status?: string; processedAt?: string }

type Service = Awaited<ReturnType<typeof startService>>

const OnPlatform = row({
  code: text,
  kind: text,
  body: json<Record<string, any>>(),
  endsAt: nullable(text),
  uses: int
})

/** A shop whose customers bring friends. */
export async function aReferralShop(service: Service, settings: Record<string, unknown> = {}) {
  const shop = await aLoyaltyShop(service, settings)
  const { store, storeId, settle } = shop
  const { controls } = service.sandbox
  const linkOf = async (customerId: string): Promise<string | null> => {
    const { referral_url: url } = await service.admin('GET', `${store.at}/loyalty/customers/${customerId}`)
    await settle()
    return url
  }
  /** Writes what an order is, and returns our number of it. */
  const known = (platformId: string, { codes, status, processedAt }: Reported): Promise<number> =>
    service.db.inStore(storeId, async (ctx) => {
      const { id } = await ctx.tx.one(
        row({ id: int }),
        sql`
        update orders set discount_codes = coalesce(${codes ?? null}::text[], discount_codes),
                          financial_status = coalesce(${status ?? null}::text, financial_status),
                          processed_at = coalesce(${processedAt ?? null}::timestamptz, processed_at)
         where store_id = ${storeId} and platform_order_id = ${platformId.split('/').at(-1)!}
        returning id`
      )
      return id
    })
  return {
    ...shop,
    known,
    async asOf(platformId: string, reported: Reported): Promise<number> {
      const id = await known(platformId, reported)
      await service.db.inStore(storeId, (ctx) => refreshOrders(ctx, [id]))
      await settle()
      return id
    },
    linkOf,
    /** Our number of a customer. */
    idOf: async (customerId: string): Promise<string> =>
      (await service.admin('GET', `${store.at}/loyalty/customers/${customerId}`)).customer_id,
    /** The code in the link of a customer. */
    codeOf: async (customerId: string): Promise<string> => (await linkOf(customerId))!.split('/').at(-1)!,
    /** An order with a code. */
    async orderBy(customerId: string, code: string, total = '50.00', more: object = {}): Promise<string> {
      const { id } = await controls.order({ storeId, customerId, total, codes: [code], ...more })
      await settle()
      return id
    },
    /** The referrals that operators see, oldest first. */
    async referrals(query = '') {
      const { data } = await service.admin('GET', `${store.at}/loyalty/referrals${query}`)
      return (data as any[]).toReversed()
    },
    credit: async (customerId: string) =>
      (await service.get(`/store-credits/${customerId}`, store.key)).body.data.balance as number,
    /** The codes of discounts on the platform, oldest first. */
    onPlatform: () =>
      service.db.inStore(storeId, (ctx) =>
        ctx.tx.many(
          OnPlatform,
          sql`
          select c.code, d.kind, d.body, d.ends_at::text as ends_at, d.usage_count as uses
            from sandbox.discounts d join sandbox.redeem_codes c on c.store_id = ${ctx.storeId} and c.discount_id = d.id
           where d.store_id = ${ctx.storeId} and d.kind like 'DiscountCode%' order by c.id`
        )
      )
  }
}
