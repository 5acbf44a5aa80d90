import { decimalOf } from '#kit/money'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { theStore } from '#stores'
import type { Sandbox } from '../../sandbox/index.ts'
import type { SandboxControls } from '../http/shared/deps.ts'

/** The operator API's sandbox functions, in the words of the sandbox. `urls` are read late: ports may not be known yet. */
export function sandboxControls(deps: {
  db: Database
  sandbox: Sandbox
  urls: { public: string; sandbox: string }
}): SandboxControls {
  const { db, sandbox, urls } = deps
  const { controls } = sandbox
  const amount = async (storeId: number, minor: number) =>
    decimalOf(minor, (await theStore(db, `store_${storeId}`)).currency)

  const all: SandboxControls = {
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
    createCustomer: (storeId, { email, firstName, lastName, countryCode, provinceCode }) =>
      controls.createCustomer({ storeId, email, firstName, lastName, country: countryCode, province: provinceCode }),
    join: (storeId, { customerId, planName }) => controls.join({ storeId, customerId, plan: planName }),
    async setCard(storeId, { customerId, outcome }) {
      await controls.setCard({ storeId, customerId, outcome })
    },
    async placeOrder(storeId, { customerId, totalMinor, creditMinor, coupon, channel }) {
      const total = await amount(storeId, totalMinor)
      const credit = creditMinor > 0 ? await amount(storeId, creditMinor) : null
      return controls.order({ storeId, customerId, total, credit, coupon, channel })
    },
    async refund(storeId, { orderId, amountMinor }) {
      const { id } = await controls.refund({
        storeId,
        orderId,
        amount: amountMinor === null ? null : await amount(storeId, amountMinor)
      })
      return { id }
    },
    async dispute(storeId, { orderId, outcome }) {
      const { id } = await controls.dispute({ storeId, orderId, outcome })
      return { id }
    },
    deleteCustomer: (storeId, customerId) => controls.deleteCustomer({ storeId, customerId }),
    mergeCustomers: (storeId, merge) => controls.mergeCustomers({ storeId, ...merge }),
    revokeCard: (storeId, customerId) => controls.revokeCard({ storeId, customerId }),
    changeShop: (storeId, change) => controls.changeShop({ storeId, ...change }),
    uninstall: (storeId) => controls.uninstall({ storeId }),
    install: (storeId, accessToken) => controls.install({ storeId, accessToken }),
    setWebhookFaults: (storeId, faults) => controls.setWebhookFaults({ storeId, faults })
  }
  return new Proxy(all, {
    get(target, name: keyof SandboxControls) {
      if (urls.sandbox === '') throw new Refusal('conflict', 'The sandbox platform is switched off (SANDBOX=off)')
      return target[name]
    }
  })
}
