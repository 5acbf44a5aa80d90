import { type DirectiveNode, GraphQLError, type GraphQLResolveInfo, Kind } from 'graphql'
import { refundOrder } from '../orders/refund-order.ts'
import type { Dispute } from '../state/disputes.ts'
import type { Order, OrderDiscount, OrderLine, Refund, Transaction } from '../state/orders.ts'
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
  transactions?: { amount: string; kind: string }[] | null
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
  const amounts = (input.transactions ?? [])
    .filter((transaction) => transaction.kind === 'REFUND')
    .map((transaction) => amountFrom(transaction.amount, api.shop.currency))
  if (amounts.includes(null)) return refused(userError(['transactions'], 'Amount is invalid'), null)
  const amountMinor = amounts.reduce<number>((sum, amount) => sum + amount!, 0)
  const outcome = await api.write((q, now) =>
    refundOrder(q, api.shop, { orderId, amountMinor, note: input.note ?? null, key }, now)
  )
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

const STATUS_OF_SOURCE: Record<string, string> = {
  subscription_contract: 'Membership',
  web: 'Online Store',
  pos: 'Point of Sale'
}

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
  Order: {
    name: ({ number }: Order) => `#${number}`,
    app: ({ sourceName }: Order, _args: unknown, { shop }: Api) => ({
      id: gid(shop, 'App', '2525000003'),
      name: STATUS_OF_SOURCE[sourceName] ?? sourceName
    }),
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
    shippingAddress: ({ id, country, province }: Order) =>
      country && {
        __typename: 'MailingAddress',
        id,
        country,
        countryCodeV2: country,
        province,
        provinceCode: province
      },
    subtotalPriceSet: ({ subtotalMinor, currency }: Order) => moneyBag(subtotalMinor, currency),
    totalPriceSet: ({ totalMinor, currency }: Order) => moneyBag(totalMinor, currency),
    currentTotalPriceSet: ({ totalMinor, refundedMinor, currency }: Order) =>
      moneyBag(totalMinor - refundedMinor, currency),
    totalTaxSet: ({ currency }: Order) => moneyBag(0, currency),
    totalDiscountsSet: ({ discountMinor, currency }: Order) => moneyBag(discountMinor, currency),
    totalRefundedSet: ({ refundedMinor, currency }: Order) => moneyBag(refundedMinor, currency),
    discountApplications: ({ discounts, currency }: Order, args: PageArgs) =>
      pageOf(
        discounts.map((discount: OrderDiscount, i) => ({
          __typename: discount.code === null ? 'ManualDiscountApplication' : 'DiscountCodeApplication',
          id: String(i),
          allocationMethod: 'ACROSS',
          targetType: 'LINE_ITEM',
          code: discount.code,
          title: discount.title,
          value:
            discount.percentage === null
              ? moneyV2(discount.amountMinor, currency)
              : { __typename: 'PricingPercentageValue', percentage: discount.percentage }
        })),
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
        initiatedAs: dispute.type,
        status: dispute.status
      }))
  },
  LineItem: {
    name: ({ title, variantTitle }: ShownLine) => (variantTitle ? `${title} - ${variantTitle}` : title),
    currentQuantity: ({ quantity }: ShownLine) => quantity,
    product: ({ productId }: ShownLine, _args: unknown, api: Api) => productId && api.load.product.get(productId),
    variant: ({ variantId }: ShownLine, _args: unknown, api: Api) => variantId && api.load.variant.get(variantId),
    contract: ({ order }: ShownLine, _args: unknown, api: Api) =>
      order.contractId && api.load.contract.get(order.contractId),
    sellingPlan: ({ sellingPlanId, sellingPlanName }: ShownLine, _args: unknown, { shop }: Api) =>
      sellingPlanName && { name: sellingPlanName, sellingPlanId: gidOrNull(shop, 'SellingPlan', sellingPlanId) },
    originalTotalSet: ({ priceMinor, quantity, order }: ShownLine) => moneyBag(priceMinor * quantity, order.currency),
    discountedTotalSet: ({ priceMinor, quantity, discountMinor, order }: ShownLine) =>
      moneyBag(priceMinor * quantity - discountMinor, order.currency)
  },
  OrderTransaction: {
    formattedGateway: ({ gateway }: Transaction) => gateway,
    processedAt: ({ createdAt }: Transaction) => createdAt,
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
