import assert from 'node:assert/strict'
import { platformAccess } from '#stores'
import { signedQuery } from '../../src/http/storefront/signed.test-helper.ts'
import { commandLine } from '../command-line.ts'
import { aLoyaltyShop } from '../loyalty-shop.ts'
import { aPng } from '../receipt-samples.ts'
import type { startService } from '../service-builder.ts'
import { testVault } from '../store-builder.ts'

type Service = Awaited<ReturnType<typeof startService>>

/** A coupon as its story goes on: what it is, whether the platform takes it, and how many orders have used it. */
export type ShownCoupon = { type: string; amount: string; status: number; uses: number }

/**
 * A sandbox shop whose operator enters rules at the command line, and whose theme reads by the signed proxy what customers have. `settings`: of
 * the section `loyalty`.
 */
export async function aStory(service: Service, settings: Record<string, unknown> = {}) {
  const shop = await aLoyaltyShop(service, settings)
  const { store, storeId, settle } = shop
  const { controls } = service.sandbox
  const { json } = commandLine(service)
  const connector = await service.deps.connectorOf(storeId)
  const credentials = await platformAccess(service.db, testVault, storeId)
  async function ask(path: string, as: string, query: Record<string, string> = {}, method = 'GET'): Promise<any> {
    const signed = signedQuery({ domain: store.domain, credentials }, query, { customerId: as })
    const response = await fetch(`${service.urls.public}/apps/svc-api/v1/loyalty${path}?${signed}`, {
      method,
      ...(method !== 'GET' && { headers: { 'content-type': 'application/json' } })
    })
    const body = (await response.json()) as any
    assert.equal(response.status, 200, JSON.stringify(body))
    return body.data
  }
  const listCoupons = (as: string): Promise<any[]> => ask(`/customers/${as}/coupons`, as)
  return {
    ...shop,
    ask,
    /** Enters a rule and returns its id. */
    async rule(type: string, rules: object, reward: object): Promise<number> {
      const { id } = await json(
        ...['loyalty', 'rule', 'create', '--store', store.domain, '--type', type, '--name', `A ${type}`],
        ...['--rules', JSON.stringify(rules), '--reward', JSON.stringify(reward)]
      )
      await settle()
      return id
    },
    /** `perennial loyalty event` about a customer. */
    event: async (customer: string, ...what: string[]) => {
      const reported = await json('loyalty', 'event', '--store', store.domain, '--customer', customer, ...what)
      await settle()
      return reported
    },
    /** A command of `perennial loyalty`, as the operator enters it. */
    operate: async (...command: string[]) => {
      const done = await json('loyalty', ...command, '--store', store.domain)
      await settle()
      return done
    },
    /** Sends the form with a receipt, as the theme does; the answer. `says`: what its photo shows. */
    async sendReceipt(as: string, { says, ...fields }: Record<string, string>): Promise<{ status: number; body: any }> {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      form.append('file', new Blob([new Uint8Array(aPng(says))]), 'receipt.png')
      const signed = signedQuery({ domain: store.domain, credentials }, {}, { customerId: as })
      const url = `${service.urls.public}/apps/svc-api/v1/loyalty/receipts?${signed}`
      const response = await fetch(url, { method: 'POST', body: form })
      const answer = { status: response.status, body: (await response.json()) as any }
      await settle()
      return answer
    },
    /** Something happens in the shop, a minute after what was before. */
    async happens(change: Promise<unknown>): Promise<void> {
      await change
      await settle()
      await store.advance({ by: 'PT1M' })
    },
    /** The tier of a customer, and the one above; null for none. */
    async tierOf(as: string): Promise<(string | null)[]> {
      const { tier, next_tier: next } = await ask(`/customers/${as}`, as)
      return [tier, next?.name ?? null]
    },
    /** The code in the link by which a customer brings friends. */
    async referralCode(as: string): Promise<string> {
      const { referral_url: link } = await ask(`/customers/${as}`, as)
      await settle()
      const found = new RegExp(`^https://${store.domain}/discount/([2-9A-HJ-NP-Z]{10})$`).exec(link)
      assert.ok(found, link)
      return found[1]!
    },
    /** Points that can be spent, that wait, and that were ever earned; how many rules are complete, and how many coupons there are. */
    async has(as: string): Promise<number[]> {
      const { data } = { data: await ask(`/customers/${as}`, as) }
      const { loyalty_points, pending_points, lifetime_points, completed_rules, coupons_count } = data
      return [loyalty_points, pending_points, lifetime_points, completed_rules.length, coupons_count]
    },
    /** Current, required and percentage, as the list of rules of that type has them; null where the rule never ends. */
    async progress(ruleId: number, type: string, as: string): Promise<number[] | null> {
      const listed: any[] = await ask('/rules', as, { type, status: '1' })
      const { completion_progress: progress } = listed.find(({ id }) => id === ruleId)
      return progress && [progress.current, progress.required, progress.percentage]
    },
    /** The coupons of a customer, oldest first. */
    async coupons(as: string): Promise<ShownCoupon[]> {
      const listed = (await listCoupons(as)).map(({ info, status, usage_count: uses }) => {
        return { type: info.type, amount: info.amount, status, uses }
      })
      return listed.toReversed()
    },
    /** Places an order with the newest code of the customer. */
    async useCode(as: string, more: object = { total: '50.00' }): Promise<string> {
      const [newest] = await listCoupons(as)
      assert.match(newest.shopify_id, /DiscountCodeNode\/\d+$/)
      const { id } = await controls.order({ storeId, customerId: as, codes: [newest.discount_code], ...more })
      await settle()
      return id
    },
    /** How often the shop says that the newest code was used; null where it has no such code. */
    async usesInShop(as: string): Promise<number | null> {
      const [newest] = await listCoupons(as)
      const found = await connector.discounts.findByCode(newest.discount_code)
      assert.ok(found.ok)
      return found.value?.uses ?? null
    },
    /** Store credit of the customer, in units of money. */
    credit: async (as: string): Promise<number> =>
      (await service.get(`/store-credits/${as}`, store.key)).body.data.balance,
    cancel: async (orderId: string) => {
      await store.advance({ by: 'PT1M' })
      await controls.cancelOrder({ storeId, orderId })
      await settle()
    },
    /** A member with an active membership, by the platform's number. */
    async member(email: string): Promise<string> {
      const { customer } = await store.member(email)
      await settle()
      return customer.id
    },
    /** The platform's number of the newest order of a customer that came to this much. */
    async lastOrder(as: string, total: number): Promise<string> {
      const { data } = await service.admin('GET', `${store.at}/orders?customer=${as}`)
      return data.find((order: { total: number }) => order.total === total).id
    },
    async enterBirthDate(as: string, birthDate: string): Promise<void> {
      const { status } = await service.patch(`/members/mem_${await shop.memberOf(as)}`, store.key, {
        birth_date: birthDate
      })
      assert.equal(status, 200)
      await settle()
    }
  }
}
