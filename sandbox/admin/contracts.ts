import { discountedLine } from '../billing/charge.ts'
import { type ContractAction, changeStatus } from '../contracts/change-status.ts'
import { type DiscountInput, discountFrom, type LineInput, lineFrom } from '../contracts/lines.ts'
import { setNextBillingDate } from '../contracts/set-next-billing-date.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { contractPayload } from '../outgoing/subscription-payloads.ts'
import {
  type Contract,
  type ContractDiscount,
  type ContractLine,
  type ContractTerms,
  type CycleDiscount,
  insertContracts
} from '../state/contracts.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { gidOrNull, numberIn, parseGid } from '../wire/gid.ts'
import { moneyV2 } from '../wire/money.ts'
import { listing } from '../wire/pages.ts'
import { type DraftInput, termsFrom } from './draft-input.ts'
import { theApp } from './shop.ts'
import { type UserError, userError } from './user-errors.ts'

const pageOfContracts = listing({
  table: 'sandbox.contracts',
  sorts: { CREATED_AT: 'created_at', UPDATED_AT: 'updated_at', STATUS: 'status' },
  where: `($6::jsonb->>'status_eq' is null or lower(status) = lower($6::jsonb->>'status_eq'))
               and ($6::jsonb->>'customer_id_eq' is null or customer_id = ($6::jsonb->>'customer_id_eq')::bigint)`
})

function statusMutation(action: ContractAction) {
  return async (_root: unknown, args: { subscriptionContractId: string }, api: Api) => {
    const id = numberIn(api.shop, 'SubscriptionContract', args.subscriptionContractId)
    const { contract, problem } = await api.write((q, now) => changeStatus(q, api.shop, id, action, now))
    const field = ['subscriptionContractId']
    const problems = {
      missing: userError(field, 'Subscription contract does not exist.', 'INVALID'),
      terminated: userError(field, `Contract is already ${contract?.status.toLowerCase()}.`, 'CONTRACT_TERMINATED'),
      'not allowed': userError(field, `A ${contract?.status.toLowerCase()} contract cannot be changed so.`, 'INVALID')
    }
    return problem ? { contract: null, userErrors: [problems[problem]] } : { contract, userErrors: [] }
  }
}

async function setDate(_root: unknown, args: { contractId: string; date: Temporal.Instant }, api: Api) {
  const id = numberIn(api.shop, 'SubscriptionContract', args.contractId)
  const contract = await api.write((q, now) => setNextBillingDate(q, api.shop, id, args.date, now))
  const missing = userError(['contractId'], 'Subscription contract does not exist or has ended.', 'INVALID')
  return contract ? { contract, userErrors: [] } : { contract: null, userErrors: [missing] }
}

type AtomicInput = {
  customerId: string
  currencyCode: string
  nextBillingDate: Temporal.Instant
  contract: DraftInput
  lines: { line: LineInput; discounts?: DiscountInput[] | null }[]
}

async function atomicCreate(_root: unknown, { input }: { input: AtomicInput }, api: Api) {
  const refused = (...userErrors: UserError[]) => ({ contract: null, userErrors })
  const customerId = numberIn(api.shop, 'Customer', input.customerId)
  if (!(await api.load.customer.get(customerId))) {
    return refused(userError(['input', 'customerId'], 'Customer does not exist', 'CUSTOMER_DOES_NOT_EXIST'))
  }
  const lines: ContractLine[] = []
  const discounts: ContractDiscount[] = []
  for (const [i, { line, discounts: given }] of input.lines.entries()) {
    const at = ['input', 'lines', String(i)]
    const created = await lineFrom(api.db.direct, api.shop, idsOf(api, line), input.currencyCode)
    if (!created) return refused(userError([...at, 'line'], 'Line is invalid', 'INVALID_LINES'))
    lines.push(created)
    for (const one of given ?? []) {
      const discount = discountFrom(one, [created.id], input.currencyCode)
      if (!discount) return refused(userError([...at, 'discounts'], 'Discount is invalid', 'INVALID'))
      discounts.push(discount)
    }
  }
  if (lines.length === 0) return refused(userError(['input', 'lines'], "Lines can't be blank", 'BLANK'))
  const base: ContractTerms = {
    status: 'ACTIVE',
    nextBillingAt: input.nextBillingDate.toString(),
    billingPolicy: { interval: 'MONTH', intervalCount: 1, minCycles: null, maxCycles: null, anchors: [] },
    deliveryPolicy: { interval: 'MONTH', intervalCount: 1, anchors: [] },
    deliveryPriceMinor: 0,
    paymentToken: null,
    note: null,
    customAttributes: [],
    lines,
    discounts
  }
  const terms = await termsFrom(api, base, input.contract, input.currencyCode, customerId)
  if ('problem' in terms) return refused(terms.problem)
  const contract = await api.write(async (q, now) => {
    const [created] = await insertContracts(
      q,
      api.shop.storeId,
      [
        {
          ...terms,
          nextBillingAt: input.nextBillingDate.toString(),
          id: null,
          customerId,
          currency: input.currencyCode,
          cycleAnchorAt: input.nextBillingDate,
          cycleAnchorIndex: 1,
          originOrderId: null
        }
      ],
      now
    )
    const payload = contractPayload(api.shop, created!)
    await queueWebhooks(q, api.shop, webhookMessage([{ topic: 'subscription_contracts/create', payload }]), now)
    return created
  })
  return { contract, userErrors: [] }
}

/** A line with its gids replaced by numeric ids. */
export function idsOf(api: Api, line: LineInput) {
  return {
    ...line,
    variantId: numberIn(api.shop, 'ProductVariant', line.productVariantId ?? ''),
    planId: line.sellingPlanId ? numberIn(api.shop, 'SellingPlan', line.sellingPlanId) : null
  }
}

/** Lines and discounts have no reference to their contract, but presenting them needs its currency and terms. */
type Priced = Pick<ContractTerms, 'lines' | 'discounts'>
type OfTerms<T> = T & { terms: Priced; currency: string }
export type ShownLine = OfTerms<ContractLine & { __typename: 'SubscriptionLine' }>
export type ShownDiscount = OfTerms<
  ContractDiscount & { __typename: 'SubscriptionManualDiscount' | 'SubscriptionAppliedCodeDiscount' }
>

export function shownLines(terms: Priced, currency: string): ShownLine[] {
  return terms.lines.map((line) => ({ __typename: 'SubscriptionLine', ...line, terms, currency }))
}

export function shownDiscounts(terms: Priced, currency: string): ShownDiscount[] {
  return terms.discounts.map((one) => ({
    __typename: one.code === undefined ? 'SubscriptionManualDiscount' : 'SubscriptionAppliedCodeDiscount',
    ...one,
    terms,
    currency
  }))
}

export async function paymentMethodOf(token: string | null, args: { showRevoked?: boolean }, api: Api) {
  const method = token === null ? null : await api.load.paymentMethod.get(token)
  return method?.revokedAt && !args.showRevoked ? null : method
}

export const contractResolvers: Resolvers = {
  QueryRoot: {
    subscriptionContract: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.contract.get(numberIn(api.shop, 'SubscriptionContract', id)),
    subscriptionContracts: (_root: unknown, args: PageArgs & { sortKey?: string; query?: string }, api: Api) =>
      pageOfContracts(api.db.direct, api.shop.storeId, args, (ids) => api.load.contract.list(ids))
  },
  Mutation: {
    subscriptionContractAtomicCreate: atomicCreate,
    subscriptionContractActivate: statusMutation('activate'),
    subscriptionContractPause: statusMutation('pause'),
    subscriptionContractCancel: statusMutation('cancel'),
    subscriptionContractExpire: statusMutation('expire'),
    subscriptionContractFail: statusMutation('fail'),
    subscriptionContractSetNextBillingDate: setDate
  },
  SubscriptionContract: {
    app: theApp,
    nextBillingDate: ({ nextBillingAt }: Contract) => nextBillingAt,
    currencyCode: ({ currency }: Contract) => currency,
    lastBillingAttemptErrorType: ({ lastErrorType }: Contract) => lastErrorType,
    customer: ({ customerId }: Contract, _args: unknown, api: Api) => api.load.customer.get(customerId),
    originOrder: ({ originOrderId }: Contract, _args: unknown, api: Api) =>
      originOrderId && api.load.order.get(originOrderId),
    deliveryPrice: ({ deliveryPriceMinor, currency }: Contract) => moneyV2(deliveryPriceMinor, currency),
    customerPaymentMethod: ({ paymentToken }: Contract, args: { showRevoked?: boolean }, api: Api) =>
      paymentMethodOf(paymentToken, args, api),
    lineCount: ({ lines }: Contract) => lines.length,
    linesCount: ({ lines }: Contract) => ({ count: lines.length, precision: 'EXACT' }),
    lines: (contract: Contract, args: PageArgs) => pageOf(shownLines(contract, contract.currency), args),
    discounts: (contract: Contract, args: PageArgs) =>
      // The API shows redeemed codes in drafts alone.
      pageOf(
        shownDiscounts(contract, contract.currency).filter(({ code }) => code === undefined),
        args
      ),
    billingAttempts: async ({ id }: Contract, args: PageArgs, api: Api) =>
      pageOf((await api.load.attemptsOf.get(id)) ?? [], args),
    orders: async ({ id }: Contract, args: PageArgs, api: Api) =>
      pageOf((await api.load.ordersOfContract.get(id)) ?? [], args)
  },
  SubscriptionLine: {
    requiresShipping: () => false,
    taxable: () => false,
    currentPrice: ({ priceMinor, currency }: ShownLine) => moneyV2(priceMinor, currency),
    lineDiscountedPrice: ({ id, terms: of, currency }: ShownLine) =>
      moneyV2(discountedLine(of, id).priceMinor, currency),
    discountAllocations: ({ id, terms: of, currency }: ShownLine) =>
      discountedLine(of, id).allocations.map(({ discountId, amountMinor }) => ({
        amount: moneyV2(amountMinor, currency),
        discount: shownDiscounts(of, currency).find((one) => one.id === discountId)
      })),
    pricingPolicy: (line: ShownLine) =>
      line.basePriceMinor === null
        ? null
        : {
            basePrice: moneyV2(line.basePriceMinor, line.currency),
            cycleDiscounts: line.cycleDiscounts.map((change: CycleDiscount) => ({
              afterCycle: change.afterCycle,
              adjustmentType: change.adjustmentType,
              adjustmentValue:
                change.amountMinor === null
                  ? { __typename: 'SellingPlanPricingPolicyPercentageValue', percentage: change.percentage }
                  : moneyV2(change.amountMinor, line.currency),
              computedPrice: moneyV2(change.computedPriceMinor, line.currency)
            }))
          },
    productId: ({ productId }: ShownLine, _args: unknown, { shop }: Api) => gidOrNull(shop, 'Product', productId),
    variantId: ({ variantId }: ShownLine, _args: unknown, { shop }: Api) =>
      gidOrNull(shop, 'ProductVariant', variantId),
    sellingPlanId: ({ sellingPlanId }: ShownLine, _args: unknown, { shop }: Api) =>
      gidOrNull(shop, 'SellingPlan', sellingPlanId)
  },
  SubscriptionAppliedCodeDiscount: {
    redeemCode: ({ code }: ShownDiscount) => code,
    rejectionReason: ({ rejection }: ShownDiscount) => rejection ?? null
  },
  SubscriptionManualDiscount: {
    type: () => 'MANUAL',
    rejectionReason: () => null,
    entitledLines: (discount: ShownDiscount) => ({
      all: discount.lineIds === null,
      entitled: shownLines(discount.terms, discount.currency).filter(
        (line) => discount.lineIds === null || discount.lineIds.includes(line.id)
      )
    }),
    value: ({ percentage, amountMinor, appliesOnEachItem, targetType, currency }: ShownDiscount) =>
      amountMinor === null
        ? {
            __typename: 'SubscriptionDiscountPercentageValue',
            percentage: targetType === 'SHIPPING_LINE' ? 100 : percentage
          }
        : {
            __typename: 'SubscriptionDiscountFixedAmountValue',
            amount: moneyV2(amountMinor, currency),
            appliesOnEachItem
          }
  },
  SubscriptionDiscountEntitledLines: {
    lines: ({ entitled }: { entitled: ShownLine[] }, args: PageArgs) => pageOf(entitled, args)
  }
}

export function lineIdIn(api: Api, text: string): string | null {
  const parsed = parseGid(api.shop, text)
  return parsed?.type === 'SubscriptionLine' ? parsed.id : null
}
