import { activateOffer } from '#churn'
import { row, sql, text } from '#kit/postgres'
import { redeemTemplate } from '#loyalty'
import { findCustomerId, parseCustomerId } from '#members'
import { earnPoints } from '#points'
import { aDeadLetter } from '../test/dead-letter.ts'
import { sentReceipt } from '../test/sent-receipt.ts'
import type { startServiceHere } from '../test/service-here.ts'
import { spendByCodes } from '../test/spend-by-codes.ts'
import { googleAccount } from '../test/wallet-things.ts'

export type Service = Awaited<ReturnType<typeof startServiceHere>>
export type StoreOfThings = Awaited<ReturnType<typeof aStoreOfThings>>

/** The ids of a store's objects. `order`, `platformCustomer` and `paymentMethod` are the platform's. */
export type Things = Record<Thing, string>
export type Thing =
  | 'member'
  | 'customer'
  | 'platformCustomer'
  | 'email'
  | 'subscription'
  | 'attempt'
  | 'plan'
  | 'endpoint'
  | 'delivery'
  | 'key'
  | 'listener'
  | 'import'
  | 'deadLetter'
  | 'order'
  | 'contract'
  | 'paymentMethod'
  | 'handle'
  | 'reservation'
  | 'code'
  | 'integration'
  | 'privacyRequest'
  | 'campaign'
  | 'rule'
  | 'tier'
  | 'template'
  | 'coupon'
  | 'receipt'
  | 'reward'
  | 'offer'
  | 'acceptedOffer'

/** Well-formed ids that do not exist. */
export const UNKNOWN: Things = {
  member: 'mem_987654321',
  customer: 'cust_987654321',
  platformCustomer: '987654321987654321',
  email: 'nobody-at-all@example.com',
  subscription: 'sub_987654321',
  attempt: 'ba_987654321',
  plan: 'plan_987654321',
  endpoint: 'we_987654321',
  delivery: `wh_${'9'.repeat(32)}`,
  key: 'key_987654321',
  listener: 'we_987654321',
  import: 'imp_987654321',
  deadLetter: 'webhooks:987654321',
  order: '987654321987654321',
  contract: '987654321987654321',
  paymentMethod: 'gid://platform/CustomerPaymentMethod/00000000000000000000',
  handle: 'eyJ0IjoxfQ',
  reservation: 'scr_987654321',
  code: 'scc_987654321',
  integration: 'nobodys',
  privacyRequest: 'priv_987654321',
  campaign: 'wpc_987654321',
  rule: '987654321',
  tier: '987654321',
  template: '987654321',
  coupon: '987654321',
  receipt: '987654321',
  reward: '987654321',
  offer: '987654321',
  acceptedOffer: '987654321'
}

/** A store with one of everything that an id can name. Its ids differ from those of every other store. */
export async function aStoreOfThings(service: Service) {
  const store = await service.aStore()
  const admin = (method: string, path: string, body?: object) => service.admin(method, store.at + path, body)
  const endpoint = await admin('POST', '/webhooks', { url: 'http://127.0.0.1:9/hooks' })
  const email = `ada-of-${store.id}@example.com`
  const { customer, contract_id, order_id } = await store.member(email)
  await admin('POST', '/loyalty/rules', {
    ...{ type: 'custom_action', name: 'Renewals', rules: { action_key: 'walk' } },
    reward_rules: { reward_type: 'subscription_discount', discount_type: 'percentage', discount_amount: 10 }
  })
  await admin('POST', '/loyalty/events', { customer: email, type: 'custom_action', action_key: 'walk' })
  await store.card(customer.id, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const first = async (path: string) => (await service.get(path, store.key)).body.data[0]
  const member = await first('/members')
  const delivery = await admin('POST', `/webhooks/${endpoint.id}/test`, { event: 'billing.success' })
  const listener = await admin('POST', '/webhook-listeners', {})
  await admin('POST', '/webhook-samples', { event: 'member.created' })
  const fetched = await admin('POST', `/webhook-listeners/${listener.id}/fetch`, { wait_seconds: 5, max: 1 })
  const { paymentMethod, deadLetter } = await service.db.inStore(store.storeId, async (ctx) => ({
    paymentMethod: await ctx.tx.one(
      row({ id: text }),
      sql`select token as id from sandbox.payment_methods where store_id = ${ctx.storeId} limit 1`
    ),
    deadLetter: await aDeadLetter(ctx)
  }))
  const credit = `/store-credits/${member.customer.id}`
  await service.post(`${credit}/add`, store.key, { amount: 50, reason: 'Walk' })
  const reservation = await service.post(`${credit}/reservations`, store.key, { amount: 10, duration: 1440 })
  await spendByCodes(service.db, store.storeId)
  const code = await service.post(`${credit}/codes`, store.key, { amount: 10, duration: 1440 })
  const integration = await admin('POST', '/reward-integrations', { key: `points_of_${store.storeId}` })
  const campaign = await admin('POST', '/wallet/campaigns', { title: 'Walk' })
  const reward = { reward_type: 'points', amount: 10 }
  const rule = await admin('POST', '/loyalty/rules', { type: 'create_account', name: 'Walk', reward_rules: reward })
  const tier = await admin('POST', '/loyalty/tiers', { name: 'Walk', entry_rules: { min_orders: 1 } })
  const coupon = { name: 'Walk', type: 'percentage', rules: { amount: 5 }, required_points: 10 }
  const template = await admin('POST', '/loyalty/templates', coupon)
  const loyaltyCoupon = await service.db.inStore(store.storeId, async (ctx) => {
    const memberId = (await findCustomerId(ctx, parseCustomerId(customer.id, 'platform')))!
    const points = { memberId, points: 10, reason: 'Walk', operationId: 'walk', orderId: null, isShared: false }
    await earnPoints(ctx, [{ ...points, readyAt: null, expireAfterDays: null }])
    return redeemTemplate(ctx, { memberId, templateId: template.id, requestId: null })
  })
  const receipts = { type: 'upload_receipt', name: 'Walk', reward_rules: { reward_type: 'points' } }
  const { id: ruleId } = await admin('POST', '/loyalty/rules', receipts)
  const sent = { customer: customer.id, ruleId, says: store.id }
  const receipt = await sentReceipt(service.db, store.storeId, sent)
  await admin('POST', '/wallet/google', { issuer_id: '338812', service_account: googleAccount().file })
  const privacyRequest = await admin('POST', '/privacy', { topic: 'customers/data_request', customer: email })
  const offer = await admin('POST', '/churn/offers', {
    ...{ name: 'Walk', type: 'add_store_credits', rules: { credit_amount: 1 }, reasons: ['other'] }
  })
  await activateOffer(service.deps, store.storeId, {
    subscriptionId: Number((await first('/subscriptions')).id.slice('sub_'.length)),
    ...{ offerId: offer.id, reason: null, isShopper: false, by: 'operator' }
  })
  const things: Things = {
    member: member.id,
    customer: member.customer.id,
    platformCustomer: customer.id,
    email,
    subscription: (await first('/subscriptions')).id,
    attempt: (await first('/billing-attempts')).id,
    plan: member.plan_id,
    endpoint: endpoint.id,
    delivery: delivery.webhook_id,
    key: (await admin('POST', '/keys', { name: 'Walk' })).id,
    listener: listener.id,
    import: (await admin('POST', '/imports', { source: 'csv' })).id,
    deadLetter,
    order: order_id,
    contract: contract_id,
    paymentMethod: `gid://platform/CustomerPaymentMethod/${paymentMethod.id}`,
    handle: fetched.data[0].handle,
    reservation: reservation.body.data.id,
    code: code.body.data.id,
    integration: integration.key,
    privacyRequest: privacyRequest.id,
    campaign: campaign.id,
    rule: String(rule.id),
    tier: String(tier.id),
    template: String(template.id),
    coupon: String(loyaltyCoupon.id),
    receipt,
    reward: String((await admin('GET', '/loyalty/subscription-rewards')).data[0].id),
    offer: String(offer.id),
    acceptedOffer: String((await admin('GET', '/churn/accepted-offers')).data[0].id)
  }
  return { ...store, things }
}
