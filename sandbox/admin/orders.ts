import { type DirectiveNode, GraphQLError, type GraphQLResolveInfo, Kind } from 'graphql'
import { refundOrder } from '../orders/refund-order.ts'
import { receiptOf } from '../outgoing/payment-payloads.ts'
import { type Address, addressIn, countryName } from '../state/addresses.ts'
import type { Dispute } from '../state/disputes.ts'
import type { Order, OrderDiscount, OrderLine, Refund, Transaction } from '../state/orders.ts'
import { appOfSource } from '../state/sales-channels.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { gid, gidOrNull, numberIn } from '../wire/gid.ts'
import { amountFrom, moneyBag, moneyV2 } from '../wire/money.ts'
import { listing } from '../wire/pages.ts'
import { type UserError, userError } from './user-errors.ts'

const pageOfOrders = listing({
  table: 'sandbox.orders',
  sorts: { CREATED_AT: 'created_at', UPDATED_AT: 'updated_at', PROCESSED_AT: 'processed_at' },
  where: `($6::jsonb->>'financial_status_eq' is null or financial_status = lower($6::jsonb->>'financial_status_eq'))
               and ($6::jsonb->>'customer_id_eq' is null or customer_id = ($6::jsonb->>'customer_id_eq')::bigint)
               and ($6::jsonb->>'name_eq' is null or '#' || number = '#' || ltrim($6::jsonb->>'name_eq', '#'))
               and ($6::jsonb->>'discount_code_eq' is null
                    or exists (select from jsonb_array_elements(discounts) discount
                                where lower(discount->>'code') = lower($6::jsonb->>'discount_code_eq')))
               and ($6::jsonb->>'email_eq' is null or lower(email) = lower($6::jsonb->>'email_eq'))
               and ($6::jsonb->>'tag_eq' is null
                    or exists (select from unnest(tags) tag where lower(tag) = lower($6::jsonb->>'tag_eq')))`
})

const pageOfDisputes = listing({
  table: 'sandbox.disputes',
  sorts: {},
  where: `($6::jsonb->>'status_eq' is null or lower(status) = lower($6::jsonb->>'status_eq'))
               and ($6::jsonb->>'initiated_at_gt' is null or initiated_at > ($6::jsonb->>'initiated_at_gt')::timestamptz)
               and ($6::jsonb->>'initiated_at_gte' is null or initiated_at >= ($6::jsonb->>'initiated_at_gte')::timestamptz)`
})

/** The key of `@idempotent` on a field, or null. */
function idempotencyKey(info: GraphQLResolveInfo): string | null {
  const directive: DirectiveNode | undefined = info.fieldNodes[0]?.directives?.find(
    (d) => d.name.value === 'idempotent'
  )
  const value = directive?.arguments?.find((argument) => argument.name.value === 'key')?.value
  if (value?.kind === Kind.STRING) return value.value
  if (value?.kind === Kind.VARIABLE) return (info.variableValues[value.name.value] as string | undefined) ?? null
  return null
}

type RefundInput = {
  orderId: string
  note?: string | null
  transactions?: { amount: string; kind: string; parentId?: string | null }[] | null
}

async function refund(_root: unknown, { input }: { input: RefundInput }, api: Api, info: GraphQLResolveInfo) {
  const key = idempotencyKey(info)
  if (!key) {
    throw new GraphQLError('The @idempotent directive is required for this mutation but was not provided.', {
      extensions: { code: 'BAD_REQUEST' }
    })
  }
  const refused = (problem: UserError, order: Order | null) => ({ refund: null, order, userErrors: [problem] })
  const orderId = numberIn(api.shop, 'Order', input.orderId)
  const parts: { parentId: string | null; amountMinor: number }[] = []
  for (const { amount, kind, parentId } of input.transactions ?? []) {
    if (kind !== 'REFUND') continue
    const amountMinor = amountFrom(amount, api.shop.currency)
    if (amountMinor === null) return refused(userError(['transactions'], 'Amount is invalid'), null)
    parts.push({ parentId: parentId ? numberIn(api.shop, 'OrderTransaction', parentId) : null, amountMinor })
  }
  const request = { orderId, parts, amountMinor: null, note: input.note ?? null, key }
  const outcome = await api.write((q, now) => refundOrder(q, api.shop, request, now))
  if (outcome.problem === null) return { refund: outcome.refund, order: outcome.order, userErrors: [] }
  const problems = {
    missing: userError(['orderId'], 'Order does not exist'),
    'not positive': userError(['transactions'], 'Refund amount must be greater than 0'),
    'too much': userError(null, 'Refund amount is greater than net payment received')
  }
  return refused(problems[outcome.problem], outcome.order)
}

/** A line with its order, which has the currency and the contract. */
type ShownLine = OrderLine & { __typename: 'LineItem'; order: Order }

/** A discount of an order with its place, by which lines reference it. */
function shownDiscount(discount: OrderDiscount, index: number, currency: string) {
  return {
    __typename:
      discount.code !== null
        ? 'DiscountCodeApplication'
        : discount.isAutomatic
          ? 'AutomaticDiscountApplication'
          : 'ManualDiscountApplication',
    id: String(index),
    index,
    allocationMethod: discount.isPerItem ? 'EACH' : 'ACROSS',
    targetSelection: discount.isForSome ? 'ENTITLED' : 'ALL',
    targetType: discount.target ?? 'LINE_ITEM',
    code: discount.code,
    title: discount.title,
    value:
      discount.percentage === null
        ? moneyV2(discount.amountMinor, currency)
        : { __typename: 'PricingPercentageValue', percentage: discount.percentage }
  }
}

const allocation = (order: Order, index: number, amountMinor: number) => ({
  allocatedAmountSet: moneyBag(amountMinor, order.currency),
  discountApplication: shownDiscount(order.discounts[index]!, index, order.currency)
})

const taxLines = ({ tax, currency }: Order, amountMinor: number) =>
  tax && amountMinor > 0
    ? [
        {
          title: tax.title,
          rate: tax.percent / 100,
          ratePercentage: tax.percent,
          priceSet: moneyBag(amountMinor, currency)
        }
      ]
    : []

function shippingLines(order: Order) {
  const { shippingLine: line, currency, discounts } = order
  if (!line) return []
  return [
    {
      id: line.id,
      title: line.title,
      code: line.title,
      source: 'shopify',
      originalPriceSet: moneyBag(line.priceMinor, currency),
      discountedPriceSet: moneyBag(line.priceMinor - line.discountMinor, currency),
      taxLines: [],
      discountAllocations: discounts.flatMap(({ target, amountMinor }, i) =>
        target === 'SHIPPING_LINE' && amountMinor > 0 ? [allocation(order, i, amountMinor)] : []
      )
    }
  ]
}

function shownAddress(id: string, address: Address | null) {
  if (!address) return null
  const { countryCode, provinceCode, firstName, lastName } = address
  return {
    __typename: 'MailingAddress',
    ...address,
    id,
    name: [firstName, lastName].filter(Boolean).join(' ') || null,
    address2: null,
    company: null,
    country: countryName(countryCode),
    countryCodeV2: countryCode,
    province: provinceCode
  }
}

const shippingAddress = async (
  { id, shippingAddress: known, country, province, customerId }: Order,
  _args: unknown,
  api: Api
) => {
  const customer = customerId === null ? null : await api.load.customer.get(customerId)
  const person = customer ?? { firstName: null, lastName: null, phone: null }
  return shownAddress(id, known ?? addressIn(country, province, person))
}

/** The orders of a customer. */
const ordersOf = ({ id }: { id: string }, args: PageArgs & { sortKey?: string; query?: string }, api: Api) =>
  pageOfOrders(api.db.direct, api.shop.storeId, args, (ids) => api.load.order.list(ids), { customer_id_eq: id })

export const orderResolvers: Resolvers = {
  QueryRoot: {
    order: (_root: unknown, { id }: { id: string }, api: Api) => api.load.order.get(numberIn(api.shop, 'Order', id)),
    orders: (_root: unknown, args: PageArgs & { sortKey?: string; query?: string }, api: Api) =>
      pageOfOrders(api.db.direct, api.shop.storeId, args, (ids) => api.load.order.list(ids)),
    refund: (_root: unknown, { id }: { id: string }, api: Api) => api.load.refund.get(numberIn(api.shop, 'Refund', id)),
    dispute: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.dispute.get(numberIn(api.shop, 'ShopifyPaymentsDispute', id)),
    disputes: (_root: unknown, args: PageArgs & { query?: string }, api: Api) =>
      pageOfDisputes(api.db.direct, api.shop.storeId, args, (ids) => api.load.dispute.list(ids))
  },
  Mutation: { refundCreate: refund },
  Customer: {
    orders: ordersOf,
    lastOrder: async (customer: { id: string }, _args: unknown, api: Api) =>
      (await ordersOf(customer, { last: 1 }, api)).nodes[0] ?? null
  },
  Order: {
    name: ({ number }: Order) => `#${number}`,
    app: ({ sourceName }: Order) => appOfSource(sourceName),
    customAttributes: ({ attributes }: Order) => attributes.map(({ name, value }) => ({ key: name, value })),
    taxLines: (order: Order) => taxLines(order, order.taxMinor),
    taxesIncluded: ({ tax }: Order) => tax?.isIncluded ?? false,
    shippingLine: (order: Order) => shippingLines(order)[0] ?? null,
    shippingLines: (order: Order, args: PageArgs) => pageOf(shippingLines(order), args),
    totalShippingPriceSet: ({ shippingLine, shippingMinor, currency }: Order) =>
      moneyBag(shippingLine?.priceMinor ?? shippingMinor, currency),
    totalOutstandingSet: ({ currency }: Order) => moneyBag(0, currency),
    billingAddress: (order: Order, args: unknown, api: Api) =>
      order.billingAddress ? shownAddress(order.id, order.billingAddress) : shippingAddress(order, args, api),
    currencyCode: ({ currency }: Order) => currency,
    presentmentCurrencyCode: ({ currency }: Order) => currency,
    displayFinancialStatus: ({ financialStatus }: Order) => financialStatus.toUpperCase(),
    displayFulfillmentStatus: () => 'UNFULFILLED',
    fullyPaid: ({ financialStatus }: Order) => financialStatus !== 'pending',
    paymentGatewayNames: ({ gateways }: Order) => gateways,
    test: () => true,
    discountCode: ({ discounts }: Order) => discounts.find(({ code }) => code !== null)?.code ?? null,
    discountCodes: ({ discounts }: Order) => discounts.map(({ code }) => code).filter((code) => code !== null),
    customer: ({ customerId }: Order, _args: unknown, api: Api) => customerId && api.load.customer.get(customerId),
    shippingAddress,
    subtotalPriceSet: ({ subtotalMinor, currency }: Order) => moneyBag(subtotalMinor, currency),
    totalPriceSet: ({ totalMinor, currency }: Order) => moneyBag(totalMinor, currency),
    currentTotalPriceSet: ({ totalMinor, refundedMinor, currency }: Order) =>
      moneyBag(totalMinor - refundedMinor, currency),
    totalTaxSet: ({ taxMinor, currency }: Order) => moneyBag(taxMinor, currency),
    totalDiscountsSet: ({ discountMinor, currency }: Order) => moneyBag(discountMinor, currency),
    totalRefundedSet: ({ refundedMinor, currency }: Order) => moneyBag(refundedMinor, currency),
    discountApplications: ({ discounts, currency }: Order, args: PageArgs) =>
      pageOf(
        discounts.map((discount, i) => shownDiscount(discount, i, currency)),
        args
      ),
    lineItems: (order: Order, args: PageArgs) =>
      pageOf(
        order.lines.map((line): ShownLine => ({ __typename: 'LineItem', ...line, order })),
        args
      ),
    refunds: async ({ id }: Order, { first }: { first?: number }, api: Api) =>
      ((await api.load.refundsOf.get(id)) ?? []).slice(0, first ?? undefined),
    transactions: async ({ id }: Order, { first }: { first?: number }, api: Api) =>
      ((await api.load.transactionsOf.get(id)) ?? []).slice(0, first ?? undefined),
    disputes: async ({ id }: Order, _args: unknown, api: Api) =>
      ((await api.load.disputesOf.get(id)) ?? []).map((dispute) => ({
        __typename: 'OrderDisputeSummary',
        id: dispute.id,
        initiatedAs: dispute.initiatedAs,
        status: dispute.status
      }))
  },
  LineItem: {
    name: ({ title, variantTitle }: ShownLine) => (variantTitle ? `${title} - ${variantTitle}` : title),
    currentQuantity: ({ quantity }: ShownLine) => quantity,
    // The sandbox sells none.
    isGiftCard: () => false,
    product: ({ productId }: ShownLine, _args: unknown, api: Api) => productId && api.load.product.get(productId),
    variant: ({ variantId }: ShownLine, _args: unknown, api: Api) => variantId && api.load.variant.get(variantId),
    contract: ({ order, contractId, sellingPlanId }: ShownLine, _args: unknown, api: Api) => {
      // In an order that is the first of contracts, what is bought once belongs to none.
      const isFirst = order.sourceName !== 'subscription_contract'
      const of = contractId ?? (isFirst && sellingPlanId === null ? null : order.contractId)
      return of && api.load.contract.get(of)
    },
    customAttributes: () => [],
    discountAllocations: ({ allocations = [], order }: ShownLine) =>
      allocations.map(({ index, amountMinor }) => allocation(order, index, amountMinor)),
    taxLines: ({ taxMinor = 0, order }: ShownLine) => taxLines(order, taxMinor),
    taxable: ({ taxable }: ShownLine) => taxable ?? false,
    requiresShipping: ({ requiresShipping }: ShownLine) => requiresShipping ?? false,
    originalUnitPriceSet: ({ priceMinor, order }: ShownLine) => moneyBag(priceMinor, order.currency),
    totalDiscountSet: ({ discountMinor, order }: ShownLine) => moneyBag(discountMinor, order.currency),
    sellingPlan: ({ sellingPlanId, sellingPlanName }: ShownLine, _args: unknown, { shop }: Api) =>
      sellingPlanName && { name: sellingPlanName, sellingPlanId: gidOrNull(shop, 'SellingPlan', sellingPlanId) },
    originalTotalSet: ({ priceMinor, quantity, order }: ShownLine) => moneyBag(priceMinor * quantity, order.currency),
    discountedTotalSet: ({ priceMinor, quantity, discountMinor, order }: ShownLine) =>
      moneyBag(priceMinor * quantity - discountMinor, order.currency)
  },
  OrderApp: { id: ({ id }: { id: string }, _args: unknown, { shop }: Api) => gid(shop, 'App', id) },
  OrderTransaction: {
    formattedGateway: ({ gateway }: Transaction) => gateway,
    processedAt: ({ createdAt }: Transaction) => createdAt,
    order: ({ orderId }: Transaction, _args: unknown, api: Api) => api.load.order.get(orderId),
    receiptJson: (transaction: Transaction) => JSON.stringify(receiptOf(transaction)),
    test: () => true,
    amountSet: ({ amountMinor, currency }: Transaction) => moneyBag(amountMinor, currency),
    parentTransaction: ({ parentId }: Transaction, _args: unknown, api: Api) =>
      parentId && api.load.transaction.get(parentId),
    paymentDetails: ({ card }: Transaction) =>
      card && {
        __typename: 'CardPaymentDetails',
        bin: '424242',
        company: card.brand,
        number: `•••• •••• •••• ${card.lastDigits}`,
        expirationMonth: card.expiryMonth,
        expirationYear: card.expiryYear,
        name: card.holder,
        paymentMethodName: card.brand.toLowerCase()
      }
  },
  Refund: {
    processedAt: ({ createdAt }: Refund) => createdAt,
    updatedAt: ({ createdAt }: Refund) => createdAt,
    totalRefundedSet: ({ amountMinor, currency }: Refund) => moneyBag(amountMinor, currency),
    order: ({ orderId }: Refund, _args: unknown, api: Api) => api.load.order.get(orderId),
    refundLineItems: async ({ id, orderId, amountMinor }: Refund, args: PageArgs, api: Api) => {
      const order = await api.load.order.get(orderId)
      const lines = order && amountMinor === order.totalMinor ? order.lines : []
      return pageOf(
        lines.map((line) => ({
          id,
          lineItem: { __typename: 'LineItem', ...line, order: order! },
          quantity: line.quantity,
          restockType: 'NO_RESTOCK',
          restocked: false,
          priceSet: moneyBag(line.priceMinor, order!.currency),
          subtotalSet: moneyBag(line.priceMinor * line.quantity - line.discountMinor, order!.currency),
          totalTaxSet: moneyBag(line.taxMinor ?? 0, order!.currency)
        })),
        args
      )
    },
    orderAdjustments: async ({ id, orderId, amountMinor, currency }: Refund, args: PageArgs, api: Api) => {
      const isWhole = amountMinor === (await api.load.order.get(orderId))?.totalMinor
      const adjustment = {
        id,
        amountSet: moneyBag(-amountMinor, currency),
        reason: 'REFUND_DISCREPANCY',
        taxAmountSet: moneyBag(0, currency)
      }
      return pageOf(isWhole ? [] : [adjustment], args)
    },
    transactions: async ({ id, orderId }: Refund, args: PageArgs, api: Api) =>
      pageOf(
        ((await api.load.transactionsOf.get(orderId)) ?? []).filter((transaction) => transaction.refundId === id),
        args
      )
  },
  ShopifyPaymentsDispute: {
    amount: ({ amountMinor, currency }: Dispute) => moneyV2(amountMinor, currency),
    reasonDetails: ({ reason, networkReasonCode }: Dispute) => ({ reason, networkReasonCode }),
    order: ({ orderId }: Dispute, _args: unknown, api: Api) => api.load.order.get(orderId)
  }
}
