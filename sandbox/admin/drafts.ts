import { randomUUID } from 'node:crypto'
import type { Queries } from '#kit/postgres'
import { type DiscountInput, discountFrom, type LineInput, lineFrom, pricingFrom } from '../contracts/lines.ts'
import { writeTerms } from '../contracts/set-next-billing-date.ts'
import {
  type Contract,
  type ContractDiscount,
  type ContractTerms,
  findContract,
  lockContract,
  termsOf
} from '../state/contracts.ts'
import { type Draft, insertDraft, lockDraft, markCommitted, writeDraft } from '../state/drafts.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { numberIn, parseGid } from '../wire/gid.ts'
import { amountFrom, moneyV2 } from '../wire/money.ts'
import { idsOf, lineIdIn, paymentMethodOf, shownDiscounts, shownLines } from './contracts.ts'
import { type DraftInput, termsFrom } from './draft-input.ts'
import { type UserError, userError } from './user-errors.ts'

async function openDraft(_root: unknown, args: { contractId: string }, api: Api) {
  const id = numberIn(api.shop, 'SubscriptionContract', args.contractId)
  return api.write(async (q) => {
    const contract = await findContract(q, api.shop.storeId, id)
    if (!contract) {
      return {
        draft: null,
        userErrors: [userError(['contractId'], 'Subscription contract does not exist.', 'INVALID')]
      }
    }
    if (contract.status === 'CANCELLED' || contract.status === 'EXPIRED') {
      return { draft: null, userErrors: [userError(['contractId'], 'Contract is terminated.', 'INVALID')] }
    }
    return { draft: await insertDraft(q, api.shop.storeId, contract, termsOf(contract)), userErrors: [] }
  })
}

type Editing = { q: Queries; draft: Draft; contract: Contract }
type Edit = { terms: ContractTerms; answer?: Record<string, unknown> } | { problem: UserError }

/** Applies one edit to an open draft under a lock, or refuses it and changes nothing. */
async function edit(api: Api, draftId: string, change: (editing: Editing) => Promise<Edit> | Edit) {
  const id = numberIn(api.shop, 'SubscriptionDraft', draftId)
  return api.write(async (q) => {
    const refused = (problem: UserError) => ({ draft: null, userErrors: [problem] })
    const draft = await lockDraft(q, api.shop.storeId, id)
    const contract = draft && (await findContract(q, api.shop.storeId, draft.contractId))
    if (!draft || !contract) return refused(userError(['draftId'], 'Draft does not exist.', 'INVALID'))
    if (draft.committedAt) return refused(userError(['draftId'], 'Draft is already committed.', 'COMMITTED'))
    const result = await change({ q, draft, contract })
    if ('problem' in result) return refused(result.problem)
    const written = await writeDraft(q, api.shop.storeId, id, result.terms)
    return { ...result.answer, draft: written, userErrors: [] }
  })
}

function updateDraft(_root: unknown, args: { draftId: string; input: DraftInput }, api: Api) {
  return edit(api, args.draftId, async ({ draft, contract }) => {
    const terms = await termsFrom(api, draft.body, args.input, contract.currency, contract.customerId)
    return 'problem' in terms ? terms : { terms }
  })
}

function addLine(_root: unknown, args: { draftId: string; input: LineInput }, api: Api) {
  return edit(api, args.draftId, async ({ q, draft, contract }) => {
    const line = await lineFrom(q, api.shop, idsOf(api, args.input), contract.currency)
    if (!line) return { problem: userError(['input'], 'Line is invalid', 'INVALID_LINES') }
    const terms = { ...draft.body, lines: [...draft.body.lines, line] }
    return { terms, answer: { lineAdded: shownLines(terms, contract.currency).at(-1) } }
  })
}

function updateLine(_root: unknown, args: { draftId: string; lineId: string; input: LineInput }, api: Api) {
  return edit(api, args.draftId, async ({ q, draft, contract }) => {
    const lineId = lineIdIn(api, args.lineId)
    const old = draft.body.lines.find((line) => line.id === lineId)
    if (!old) return { problem: userError(['lineId'], 'Line does not exist.', 'INVALID') }
    const { input } = args
    const priceMinor = input.currentPrice == null ? old.priceMinor : amountFrom(input.currentPrice, contract.currency)
    if (priceMinor === null || priceMinor < 0) {
      return { problem: userError(['input', 'currentPrice'], 'Price is invalid', 'GREATER_THAN_OR_EQUAL_TO') }
    }
    if (input.quantity != null && input.quantity < 1) {
      return { problem: userError(['input', 'quantity'], 'Quantity must be greater than 0', 'GREATER_THAN') }
    }
    const other = input.productVariantId
      ? await lineFrom(q, api.shop, { ...idsOf(api, input), currentPrice: '0' }, contract.currency)
      : old
    if (!other) return { problem: userError(['input', 'productVariantId'], 'Variant does not exist', 'INVALID') }
    const changed = {
      ...old,
      productId: other.productId,
      variantId: other.variantId,
      title: other.title,
      variantTitle: other.variantTitle,
      sku: other.sku,
      priceMinor,
      quantity: input.quantity ?? old.quantity,
      sellingPlanId: input.sellingPlanId ? numberIn(api.shop, 'SellingPlan', input.sellingPlanId) : old.sellingPlanId,
      sellingPlanName: input.sellingPlanName ?? old.sellingPlanName,
      customAttributes: input.customAttributes ?? old.customAttributes,
      ...(input.pricingPolicy ? pricingFrom(input.pricingPolicy, contract.currency) : {}),
      // A price that is set explicitly replaces the price changes that the selling plan scheduled.
      ...(input.currentPrice != null && !input.pricingPolicy ? { cycleDiscounts: [] } : {})
    }
    const terms = { ...draft.body, lines: draft.body.lines.map((line) => (line.id === lineId ? changed : line)) }
    const lineUpdated = shownLines(terms, contract.currency).find((line) => line.id === lineId)
    return { terms, answer: { lineUpdated } }
  })
}

function removeLine(_root: unknown, args: { draftId: string; lineId: string }, api: Api) {
  return edit(api, args.draftId, ({ draft, contract }) => {
    const lineId = lineIdIn(api, args.lineId)
    const lineRemoved = shownLines(draft.body, contract.currency).find((line) => line.id === lineId)
    if (!lineRemoved) return { problem: userError(['lineId'], 'Line does not exist.', 'INVALID') }
    const lines = draft.body.lines.filter((line) => line.id !== lineId)
    return { terms: { ...draft.body, lines }, answer: { lineRemoved, discountsUpdated: [] } }
  })
}

type EntitledInput = { entitledLines?: { all?: boolean | null; lines?: { add?: string[] | null } | null } | null }

function addDiscount(_root: unknown, args: { draftId: string; input: DiscountInput & EntitledInput }, api: Api) {
  return edit(api, args.draftId, ({ draft, contract }) => {
    const { entitledLines } = args.input
    const lineIds =
      entitledLines?.all || !entitledLines
        ? null
        : (entitledLines.lines?.add ?? []).map((id) => lineIdIn(api, id) ?? '')
    if (lineIds?.some((id) => !draft.body.lines.some((line) => line.id === id)) || lineIds?.length === 0) {
      return { problem: userError(['input', 'entitledLines'], 'No entitled lines.', 'NO_ENTITLED_LINES') }
    }
    const discount = discountFrom(args.input, lineIds, contract.currency)
    if (!discount) return { problem: userError(['input', 'value'], 'Value is invalid', 'INVALID') }
    return withDiscount(draft, contract, discount)
  })
}

function addFreeShipping(_root: unknown, args: { draftId: string; input: DiscountInput }, api: Api) {
  return edit(api, args.draftId, ({ draft, contract }) =>
    withDiscount(draft, contract, {
      id: randomUUID(),
      title: args.input.title ?? null,
      targetType: 'SHIPPING_LINE',
      percentage: 100,
      amountMinor: null,
      appliesOnEachItem: false,
      recurringCycleLimit: args.input.recurringCycleLimit ?? null,
      usageCount: 0,
      lineIds: null
    })
  )
}

function withDiscount(draft: Draft, contract: Contract, discount: ContractDiscount): Edit {
  const terms = { ...draft.body, discounts: [...draft.body.discounts, discount] }
  return { terms, answer: { discountAdded: shownDiscounts(terms, contract.currency).at(-1) } }
}

function removeDiscount(_root: unknown, args: { draftId: string; discountId: string }, api: Api) {
  return edit(api, args.draftId, ({ draft, contract }) => {
    const parsed = parseGid(api.shop, args.discountId)
    const found = shownDiscounts(draft.body, contract.currency).find((discount) => discount.id === parsed?.id)
    if (!found) return { problem: userError(['discountId'], 'Discount does not exist.', 'ALREADY_REMOVED') }
    const discounts = draft.body.discounts.filter((discount) => discount.id !== found.id)
    return { terms: { ...draft.body, discounts }, answer: { discountRemoved: found } }
  })
}

async function commit(_root: unknown, args: { draftId: string }, api: Api) {
  const id = numberIn(api.shop, 'SubscriptionDraft', args.draftId)
  return api.write(async (q, now) => {
    const refused = (problem: UserError) => ({ contract: null, userErrors: [problem] })
    const draft = await lockDraft(q, api.shop.storeId, id)
    if (!draft) return refused(userError(['draftId'], 'Draft does not exist.', 'INVALID'))
    if (draft.committedAt) return refused(userError(['draftId'], 'Draft is already committed.', 'COMMITTED'))
    const contract = await lockContract(q, api.shop.storeId, draft.contractId)
    if (contract?.revisionId !== draft.baseRevision) {
      return refused(userError(['draftId'], 'The contract has changed since the draft was made.', 'STALE_CONTRACT'))
    }
    await markCommitted(q, api.shop.storeId, id, now)
    return { contract: await writeTerms(q, api.shop, contract, draft.body, now), userErrors: [] }
  })
}

export const draftResolvers: Resolvers = {
  Mutation: {
    subscriptionContractUpdate: openDraft,
    subscriptionDraftUpdate: updateDraft,
    subscriptionDraftLineAdd: addLine,
    subscriptionDraftLineUpdate: updateLine,
    subscriptionDraftLineRemove: removeLine,
    subscriptionDraftDiscountAdd: addDiscount,
    subscriptionDraftFreeShippingDiscountAdd: addFreeShipping,
    subscriptionDraftDiscountRemove: removeDiscount,
    subscriptionDraftCommit: commit
  },
  SubscriptionDraft: {
    status: ({ body }: Draft) => body.status,
    nextBillingDate: ({ body }: Draft) => body.nextBillingAt && Temporal.Instant.from(body.nextBillingAt),
    billingPolicy: ({ body }: Draft) => body.billingPolicy,
    deliveryPolicy: ({ body }: Draft) => body.deliveryPolicy,
    note: ({ body }: Draft) => body.note,
    customAttributes: ({ body }: Draft) => body.customAttributes,
    originalContract: ({ contractId }: Draft, _args: unknown, api: Api) => api.load.contract.get(contractId),
    currencyCode: async ({ contractId }: Draft, _args: unknown, api: Api) =>
      (await api.load.contract.get(contractId))?.currency,
    customer: async ({ contractId }: Draft, _args: unknown, api: Api) => {
      const contract = await api.load.contract.get(contractId)
      return contract && api.load.customer.get(contract.customerId)
    },
    customerPaymentMethod: ({ body }: Draft, args: { showRevoked?: boolean }, api: Api) =>
      paymentMethodOf(body.paymentToken, args, api),
    deliveryPrice: async ({ body, contractId }: Draft, _args: unknown, api: Api) =>
      moneyV2(body.deliveryPriceMinor, (await api.load.contract.get(contractId))!.currency),
    lines: async ({ body, contractId }: Draft, args: PageArgs, api: Api) =>
      pageOf(shownLines(body, (await api.load.contract.get(contractId))!.currency), args),
    discounts: async ({ body, contractId }: Draft, args: PageArgs, api: Api) =>
      pageOf(shownDiscounts(body, (await api.load.contract.get(contractId))!.currency), args)
  }
}
