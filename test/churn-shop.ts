import { createOffer, type OfferInput } from '#churn'
import { platformAccess } from '#stores'
import { signedQuery } from '../src/http/storefront/signed.test-helper.ts'
import { aRewardShop } from './reward-shop.ts'
import type { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'

type Service = Awaited<ReturnType<typeof startService>>

export const QUARTER_OFF = {
  ...{ type: 'discount_price', rules: { discount_type: 'percentage', discount_value: 25, recurring_cycle_limit: 2 } }
} as const
export const EVERY_TWO_MONTHS = {
  ...{ type: 'change_frequency', rules: { interval_count: 2, interval_name: 'month' } }
} as const
export const TEN_CREDIT = { type: 'add_store_credits', rules: { credit_amount: 10 } } as const

/** A shop with Coffee at 15.00 and VIP at 29.00 a month, and the Churn API as programs and customers call it through the proxy. */
export async function aChurnShop(service: Service) {
  const { db } = service
  const shop = await aRewardShop(service)
  const { storeId, domain } = shop
  const credentials = await platformAccess(db, testVault, storeId)
  /** `as`: who is logged in; `key`: an API key. */
  const ask = async (
    method: string,
    path: string,
    {
      as = '',
      key,
      query = {},
      body,
      form
    }: { as?: string; key?: string; query?: Record<string, string>; body?: unknown; form?: string } = {}
  ) => {
    const signed = signedQuery({ domain, credentials }, { ...query, ...(key && { key }) }, { customerId: as })
    const response = await fetch(`${service.urls.public}/apps/svc-api/v1/membership${path}?${signed}`, {
      method,
      ...(method !== 'GET' && !key && { headers: { 'content-type': 'application/json' } }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(form !== undefined && { body: new URLSearchParams(form) })
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as any), headers: response.headers }
  }
  return {
    ...shop,
    ask,
    /** All rows of an endpoint of the Data API. */
    async dataRows(name: string, query: Record<string, string> = {}): Promise<any[]> {
      const signed = signedQuery({ domain, credentials }, { ...query, key: shop.key })
      const response = await fetch(`${service.urls.public}/apps/svc-api/v1/data/${name}?${signed}`)
      return ((await response.json()) as any).data
    },
    offer: async (given: Pick<OfferInput, 'type' | 'rules'> & Partial<OfferInput>): Promise<number> => {
      const input = {
        ...{ name: 'Stay', description: null, reasons: ['too_expensive'], target: null, isOfEachItem: false },
        ...{ minMemberDays: 0, minDaysSinceOffer: 0, isForTrials: true, isOn: true },
        ...given
      }
      return (await db.inStore(storeId, (ctx) => createOffer(ctx, input))).id
    },
    accept: (contractId: string, offer: number | string, who: { as?: string; key?: string }, query = {}) =>
      ask('POST', `/churn/${contractId}/offers/${offer}/activation`, { ...who, query }),
    offersOf: async (contractId: string, key: string) => (await ask('GET', `/churn/${contractId}/offers`, { key })).body
  }
}
