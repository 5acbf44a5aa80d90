import { randomUUID } from 'node:crypto'
import { minorOf } from '#kit/money'
import { sql } from '#kit/postgres'
import { paymentToken } from '../admin/customers/customers.ts'
import { GATEWAY } from '../billing/resolve-attempts.ts'
import type { Platform } from '../http.ts'
import type { Attempt } from '../state/attempts.ts'
import { type ContractStatus, type Interval, insertContracts } from '../state/contracts.ts'
import { insertCustomer } from '../state/customers.ts'
import { allotOrderIds, allotOrderNumbers } from '../state/numbering.ts'
import { insertOrders, insertTransactions } from '../state/orders.ts'
import { insertPaymentMethod } from '../state/payment-methods.ts'
import { idFrom, shopOf } from './refusals.ts'

export type Fixtures = {
  storeId: number
  customers?: {
    id: string
    email: string | null
    firstName?: string
    lastName?: string
    phone?: string
    note?: string
    tags?: string[]
    ordersCount?: number
    spentMinor?: number
  }[]
  orders?: { id: string; customerId: string | null; total: string; currency?: string; contractId?: string | null }[]
  contracts?: {
    id: string
    customerId: string
    price: string
    currency?: string
    interval?: Interval
    intervalCount?: number
    status?: ContractStatus
    originOrderId?: string | null
    nextBillingAt?: string
  }[]
  attempts?: {
    id?: string
    contractId: string
    idempotencyKey: string
    cycleIndex?: number
    status: Attempt['status']
    orderId?: string | null
    errorCode?: string | null
  }[]
}

/**
 * Creates objects in a shop with given ids, so that published or recorded samples refer to objects that exist. Sends no webhooks;
 * existing objects stay unchanged.
 */
export async function importFixtures(platform: Platform, given: Fixtures): Promise<void> {
  const shop = await shopOf(platform, given.storeId)
  const { storeId } = shop
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    for (const {
      email,
      firstName = null,
      lastName = null,
      phone = null,
      note = null,
      tags = [],
      ...one
    } of given.customers ?? []) {
      const person = { firstName, lastName, phone, note, tags, country: null, province: null }
      const fields = { id: idFrom('customer', one.id), email, ...person }
      if (!(await insertCustomer(q, storeId, fields, now))) continue
      const { ordersCount = 0, spentMinor = 0 } = one
      await q.run(sql`
        update sandbox.customers set orders_count = ${ordersCount}, spent_minor = ${spentMinor}
         where store_id = ${storeId} and id = ${fields.id}`)
      const holder = email ?? ''
      const card = { brand: 'Visa', lastDigits: '4242', expiryMonth: 8, expiryYear: 2060, holder }
      await insertPaymentMethod(q, storeId, { ...card, token: paymentToken(), customerId: fields.id }, now)
    }

    const orders = given.orders ?? []
    const ids = await allotOrderIds(q, { orders: 0, lines: orders.length, transactions: orders.length })
    const firstNumber = await allotOrderNumbers(q, storeId, orders.length)
    const whole = orders.map(({ id, customerId, total, currency = shop.currency, contractId = null }, i) => {
      const totalMinor = minorOf(total, currency, 'total')
      const line = { id: ids.lines[i]!, productId: null, variantId: null, title: 'Test purchase', variantTitle: null }
      return {
        __typename: 'Order' as const,
        id: idFrom('order', id),
        number: firstNumber + i,
        customerId: customerId && idFrom('customer', customerId),
        contractId: contractId && idFrom('contract', contractId),
        email: null,
        currency,
        subtotalMinor: totalMinor,
        discountMinor: 0,
        shippingMinor: 0,
        taxMinor: 0,
        totalMinor,
        refundedMinor: 0,
        financialStatus: 'paid',
        lines: [
          {
            ...line,
            sku: null,
            quantity: 1,
            priceMinor: totalMinor,
            discountMinor: 0,
            sellingPlanId: null,
            sellingPlanName: null
          }
        ],
        discounts: [],
        tax: null,
        shippingLine: null,
        attributes: [],
        shippingAddress: null,
        billingAddress: null,
        gateways: [GATEWAY],
        tags: [],
        note: null,
        sourceName: 'web',
        country: null,
        province: null,
        cancelledAt: null,
        cancelReason: null,
        createdAt: now,
        processedAt: now,
        updatedAt: now
      }
    })
    await insertOrders(q, storeId, whole)
    const payments = whole.map((order, i) => ({
      __typename: 'OrderTransaction' as const,
      id: ids.transactions[i]!,
      orderId: order.id,
      parentId: null,
      refundId: null,
      kind: 'SALE',
      status: 'SUCCESS',
      gateway: GATEWAY,
      amountMinor: order.totalMinor,
      currency: order.currency,
      card: null,
      paidFrom: null,
      errorCode: null,
      createdAt: now
    }))
    await insertTransactions(q, storeId, payments)

    const contracts = (given.contracts ?? []).map((contract) => {
      const currency = contract.currency ?? shop.currency
      const { interval = 'MONTH', intervalCount = 1 } = contract
      const nextBillingAt = contract.nextBillingAt
        ? Temporal.Instant.from(contract.nextBillingAt)
        : now.add({ hours: 720 })
      const priceMinor = minorOf(contract.price, currency, 'price')
      return {
        id: idFrom('contract', contract.id),
        customerId: idFrom('customer', contract.customerId),
        currency,
        status: contract.status ?? 'ACTIVE',
        nextBillingAt: nextBillingAt.toString(),
        cycleAnchorAt: nextBillingAt,
        cycleAnchorIndex: 1,
        billingPolicy: { interval, intervalCount, minCycles: null, maxCycles: null, anchors: [] },
        deliveryPolicy: { interval, intervalCount, anchors: [] },
        deliveryPriceMinor: 0,
        paymentToken: null,
        originOrderId: contract.originOrderId ? idFrom('order', contract.originOrderId) : null,
        note: null,
        customAttributes: [],
        lines: [
          {
            id: randomUUID(),
            productId: null,
            variantId: null,
            title: 'Membership',
            variantTitle: null,
            sku: null,
            quantity: 1,
            priceMinor,
            basePriceMinor: null,
            cycleDiscounts: [],
            sellingPlanId: null,
            sellingPlanName: 'Membership',
            customAttributes: []
          }
        ],
        discounts: []
      }
    })
    await insertContracts(q, storeId, contracts, now)
    await q.run(sql`
      update sandbox.contracts c
         set payment_token = (select token from sandbox.payment_methods m
                               where m.store_id = ${storeId} and m.customer_id = c.customer_id limit 1)
       where c.store_id = ${storeId} and c.payment_token is null
         and c.id = any(${contracts.map((contract) => contract.id)}::bigint[])`)

    const attempts = (given.attempts ?? []).map((attempt) => ({
      id: attempt.id === undefined ? null : idFrom('attempt', attempt.id),
      contractId: idFrom('contract', attempt.contractId),
      idempotencyKey: attempt.idempotencyKey,
      cycleIndex: attempt.cycleIndex ?? 1,
      status: attempt.status,
      orderId: attempt.orderId ? idFrom('order', attempt.orderId) : null,
      errorCode: attempt.errorCode ?? null
    }))
    await q.run(sql`
      insert into sandbox.billing_attempts (store_id, id, contract_id, idempotency_key, cycle_index, status, outcome, order_id,
                                            error_code, resolve_at, created_at, completed_at)
      select ${storeId}, coalesce(a.id, nextval('sandbox.attempt_ids')), a."contractId", a."idempotencyKey",
             a."cycleIndex", a.status, 'success', a."orderId", a."errorCode", ${now}, ${now},
             case when a.status in ('succeeded', 'failed') then ${now}::timestamptz end
        from jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb)
             as a(id bigint, "contractId" bigint, "idempotencyKey" text, "cycleIndex" int, status text, "orderId" bigint,
                  "errorCode" text)
      on conflict do nothing`)
  })
}
