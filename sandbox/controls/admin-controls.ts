import { decimalOf } from '#kit/money'
import { Refusal } from '#kit/refusal'
import type { Platform } from '../http.ts'
import type { Controls } from './index.ts'
import { shopOf } from './refusals.ts'

/** The base URLs of the service and the sandbox, read at each call since ports may be chosen late; '' while unknown. */
export type SandboxUrls = { public: string; sandbox: string }

type OfStore<Call> = Call extends (request: infer Request) => infer Result
  ? (storeId: number, request: Omit<Request & object, 'storeId'>) => Result
  : never

/**
 * The controls for the service's admin API: the first argument is the store, and amounts are in minor units of the shop's
 * currency. Refuses every call while the sandbox is switched off.
 */
export type AdminControls = {
  /** The address of the shop with this domain. */
  urlOf(domain: string): string
  createShop(shop: Omit<Parameters<Controls['createShop']>[0], 'appProxyUrl'>): Promise<void>
  createCustomer(
    storeId: number,
    customer: {
      email: string
      firstName: string | null
      lastName: string | null
      phone?: string | null
      countryCode: string | null
      provinceCode: string | null
    }
  ): ReturnType<Controls['createCustomer']>
  join(storeId: number, join: { customerId: string; planName: string }): ReturnType<Controls['join']>
  setCard(storeId: number, card: { customerId: string; outcome: string[] }): Promise<void>
  setAccount: OfStore<Controls['setAccount']>
  setConsent: OfStore<Controls['setConsent']>
  setTags: OfStore<Controls['setTags']>
  placeOrder(
    storeId: number,
    order: {
      customerId: string
      /** Of a cart without `lines`. */
      totalMinor: number | null
      creditMinor: number
      shippingMinor?: number
    } & Omit<Parameters<Controls['order']>[0], 'storeId' | 'customerId' | 'total' | 'credit' | 'shipping'>
  ): ReturnType<Controls['order']>
  refund(storeId: number, refund: { orderId: string; amountMinor: number | null }): ReturnType<Controls['refund']>
  dispute: OfStore<Controls['dispute']>
  cancelOrder: OfStore<Controls['cancelOrder']>
  sendMessage: OfStore<Controls['sendMessage']>
  deleteCustomer(storeId: number, customerId: string): ReturnType<Controls['deleteCustomer']>
  mergeCustomers: OfStore<Controls['mergeCustomers']>
  revokeCard(storeId: number, customerId: string): ReturnType<Controls['revokeCard']>
  changeShop: OfStore<Controls['changeShop']>
  uninstall(storeId: number): ReturnType<Controls['uninstall']>
  install(storeId: number, accessToken: string): ReturnType<Controls['install']>
  openShop: Controls['openShop']
  endToken(storeId: number, how: 'expire' | 'revoke'): Promise<void>
  changeScopes: Controls['changeScopes']
  setWebhookFaults(
    storeId: number,
    faults: Parameters<Controls['setWebhookFaults']>[0]['faults']
  ): ReturnType<Controls['setWebhookFaults']>
  setChargeFaults(
    storeId: number,
    faults: Parameters<Controls['setChargeFaults']>[0]['faults']
  ): ReturnType<Controls['setChargeFaults']>
}

export function adminControls(platform: Platform, controls: Controls, urls: SandboxUrls): AdminControls {
  const decimal = async (storeId: number, minor: number) => decimalOf(minor, (await shopOf(platform, storeId)).currency)

  const all: AdminControls = {
    urlOf: (domain) => `${urls.sandbox}/${domain}`,
    async createShop({ storeId, domain, name, timezone, currency, profile, accessToken, appSecret, proxySecret }) {
      const appProxyUrl = `${urls.public}/apps/svc-api`
      await controls.createShop({
        storeId,
        domain,
        name,
        timezone,
        currency,
        profile,
        accessToken,
        appSecret,
        proxySecret,
        appProxyUrl
      })
    },
    createCustomer: (storeId, { email, firstName, lastName, phone, countryCode, provinceCode }) =>
      controls.createCustomer({
        storeId,
        email,
        firstName,
        lastName,
        phone,
        country: countryCode,
        province: provinceCode
      }),
    join: (storeId, { customerId, planName }) => controls.join({ storeId, customerId, plan: planName }),
    async setCard(storeId, { customerId, outcome }) {
      await controls.setCard({ storeId, customerId, outcome })
    },
    setAccount: (storeId, account) => controls.setAccount({ storeId, ...account }),
    setConsent: (storeId, consent) => controls.setConsent({ storeId, ...consent }),
    setTags: (storeId, tags) => controls.setTags({ storeId, ...tags }),
    async placeOrder(storeId, { totalMinor, creditMinor, shippingMinor = 0, ...order }) {
      const total = totalMinor === null ? null : await decimal(storeId, totalMinor)
      const credit = creditMinor > 0 ? await decimal(storeId, creditMinor) : null
      const shipping = shippingMinor > 0 ? await decimal(storeId, shippingMinor) : null
      return controls.order({ storeId, total, credit, shipping, ...order })
    },
    async refund(storeId, { orderId, amountMinor }) {
      const amount = amountMinor === null ? null : await decimal(storeId, amountMinor)
      return controls.refund({ storeId, orderId, amount })
    },
    dispute: (storeId, dispute) => controls.dispute({ storeId, ...dispute }),
    cancelOrder: (storeId, cancellation) => controls.cancelOrder({ storeId, ...cancellation }),
    sendMessage: (storeId, message) => controls.sendMessage({ storeId, ...message }),
    deleteCustomer: (storeId, customerId) => controls.deleteCustomer({ storeId, customerId }),
    mergeCustomers: (storeId, merge) => controls.mergeCustomers({ storeId, ...merge }),
    revokeCard: (storeId, customerId) => controls.revokeCard({ storeId, customerId }),
    changeShop: (storeId, change) => controls.changeShop({ storeId, ...change }),
    uninstall: (storeId) => controls.uninstall({ storeId }),
    install: (storeId, accessToken) => controls.install({ storeId, accessToken }),
    openShop: controls.openShop,
    endToken: (storeId, how) => controls.endToken({ storeId, how }),
    changeScopes: controls.changeScopes,
    setWebhookFaults: (storeId, faults) => controls.setWebhookFaults({ storeId, faults }),
    setChargeFaults: (storeId, faults) => controls.setChargeFaults({ storeId, faults })
  }
  return new Proxy(all, {
    get(target, name: keyof AdminControls) {
      if (urls.sandbox === '') throw new Refusal('conflict', 'The sandbox platform is switched off (SANDBOX=off)')
      return target[name]
    }
  })
}
