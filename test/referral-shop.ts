import { int, json, nullable, row, sql, text } from '#kit/postgres'
import { aLoyaltyShop } from './loyalty-shop.ts'
import type { startService } from './service-builder.ts'

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
  return {
    ...shop,
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
