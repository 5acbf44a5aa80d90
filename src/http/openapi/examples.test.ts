import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCredits, reserveCredit } from '#credits'
import { publicId } from '#kit/ids'
import { sql } from '#kit/postgres'
import { reactivationGraceSettings } from '#lifecycle/settings'
import { listPlans } from '#plans'
import { updateSettings } from '#stores'
import { createEndpoint, sendSample } from '#webhooks'
import { testDatabase } from '../../../test/database.ts'
import { aPlan } from '../../../test/plan-builder.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testSettings } from '../../webhooks/receiver.test-helper.ts'
import { attemptsOf, joined } from '../rest/subscription.test-helper.ts'
import { testServer } from '../server.test-helper.ts'
import type { RestDocument } from './document-types.ts'

const { db } = await testDatabase()
const { app } = testServer(db)
const RECEIVER = 'https://93.184.216.34/hooks'
const document = (await app.inject('/openapi.json')).json() as RestDocument

/** What has to be asked before, so that the operation can be done. */
const BEFORE: Record<string, string> = {
  resumeSubscription: 'pauseSubscription',
  reactivateSubscription: 'cancelSubscription',
  revokeGift: 'giftSubscription',
  revokeStoreCreditCode: 'createStoreCreditCode',
  enableWebhookEndpoint: 'disableWebhookEndpoint',
  endWebhookSecretRoll: 'rollWebhookSecret'
}

/** Fields that may be left out where another is given in their place. */
const ONE_OF_SEVERAL: Record<string, string[]> = { reportLoyaltyEvent: ['customer_id', 'action_key'] }

/** The operation with the body of its example and nulls for `nulls`, on the object of our own that takes the place of its. */
async function asker(operationId: string) {
  const store = await aStore(db, { clockAt: Temporal.Instant.from('2026-12-01T09:00:00Z') })
  await store.inStore((ctx) => updateSettings(ctx, reactivationGraceSettings, 24))
  // A cycle is charged again when its day has come.
  const since = operationId === 'retryBillingAttempt' ? '2026-10-31T14:00:00Z' : '2026-11-30T15:00:00Z'
  const { memberId, subscriptionId } = await joined(store, since)
  const other = await joined(store, '2026-11-30T15:00:00Z')
  await aPlan(store, { name: 'Elite' })
  const [plan] = await store.inStore(listPlans)
  const [failed] = await attemptsOf(store, subscriptionId)
  const endpoint = await createEndpoint(db, store.storeId, { url: RECEIVER }, testSettings)
  const reservationId = await store.inStore(async (ctx) => {
    const { tx, storeId, now } = ctx
    // The order that the example captures for.
    await tx.run(sql`
      insert into orders (store_id, platform_order_id, member_id, name, number, currency, total_minor, tax_minor,
                          discount_minor, financial_status, tags, discount_codes, processed_at, platform_updated_at,
                          created_at, updated_at)
      values (${storeId}, '7301842698', ${memberId}, '#1', '1', 'USD', 6000, 0, 0, 'PAID', '{}', '{}', ${now}, ${now}, ${now},
              ${now})`)
    const change = { memberId, amountMinor: 10_000, reason: 'x', operationId: 'example' }
    await changeCredits(ctx, [{ ...change, type: 'manual_add' }])
    const [held] = await reserveCredit(ctx, [{ ...change, amountMinor: 1000, expiresAt: now.add({ hours: 1 }) }])
    return held!.reservation!.id
  })
  const delivery = await store.inStore((ctx) => sendSample(ctx, endpoint.id, 'billing.failed'))
  const ids: Record<string, string> = {
    member_id: publicId('mem', memberId),
    customer_id: publicId('cust', memberId),
    subscription_id: publicId('sub', subscriptionId),
    attempt_id: publicId('ba', failed!.id),
    reservation_id: publicId('scr', reservationId),
    endpoint_id: endpoint.id,
    delivery_id: delivery.webhookId
  }
  const authorization = `Bearer ${await store.aKey()}`
  // Codes are for members whose plan says so.
  if (/StoreCreditCode$/.test(operationId)) {
    await store.inStore(({ tx, storeId }) =>
      tx.run(sql`update plans set credit_type = 'coupon' where store_id = ${storeId}`)
    )
  }
  return async (id: string, nulls = false) => {
    const { method, path, operation } = writes.find(({ operation }) => operation.operationId === id)!
    const { schema, example } = operation.requestBody!.content['application/json']
    const optional = Object.keys(schema.properties ?? {}).filter(
      (name) => !schema.required?.includes(name) && !ONE_OF_SEVERAL[id]?.includes(name)
    )
    const response = await app.inject({
      method: method.toUpperCase() as 'POST',
      url: `/v1${path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!)}`,
      headers: { authorization },
      payload: {
        ...(example as object),
        ...('plan_id' in (example as object) && { plan_id: publicId('plan', plan!.id) }),
        // The name of the example would be looked up.
        ...('url' in (example as object) && { url: RECEIVER }),
        ...('customer_id' in (example as object) && { customer_id: ids.customer_id }),
        ...('receiver' in (example as object) && { receiver: publicId('cust', other.memberId) }),
        ...(nulls && Object.fromEntries(optional.map((name) => [name, null])))
      }
    })
    if (id === 'createStoreCreditCode') ids.code_id = response.json().data?.id
    return response
  }
}

const writes = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => (operation.requestBody ? [{ method, path, operation }] : []))
)

for (const { method, operation } of writes) {
  const { operationId } = operation
  test(`the example of ${operationId} works when it is copied`, async () => {
    const ask = await asker(operationId)
    if (BEFORE[operationId]) await ask(BEFORE[operationId])
    const { statusCode, body } = await ask(operationId)
    assert.equal(statusCode, 200, body)
  })
  if (method !== 'post') continue

  test(`${operationId} takes null for each field that may be left out, and the document says so`, async () => {
    const ask = await asker(operationId)
    if (BEFORE[operationId]) await ask(BEFORE[operationId])
    const { statusCode, body } = await ask(operationId, true)
    assert.equal(statusCode, 200, body)
    const { properties = {}, required = [] } = operation.requestBody!.content['application/json'].schema
    for (const [name, { type = [], anyOf = [] }] of Object.entries(properties)) {
      const types = [type, ...anyOf.map((option) => option.type ?? [])].flat()
      assert.equal(types.includes('null'), !required.includes(name), name)
    }
  })
}
