import { randomUUID } from 'node:crypto'
import type { Queries } from '#kit/postgres'
import { editedCycle } from '../billing/edited-cycles.ts'
import { type DiscountInput, discountFrom, type LineInput, lineFrom, pricingFrom } from '../contracts/lines.ts'
import { writeTerms } from '../contracts/set-next-billing-date.ts'
import {
  type Contract,
  type ContractDiscount,
  type ContractLine,
  type ContractTerms,
  findContract,
  lockContract,
  termsOf
} from '../state/contracts.ts'
import { listCycleEdits } from '../state/cycle-edits.ts'
import { type Draft, findDraft, insertDraft, lockDraft, markCommitted, writeDraft } from '../state/drafts.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { numberIn, parseGid } from '../wire/gid.ts'
import { amountFrom, moneyV2 } from '../wire/money.ts'
import { codeDiscountFrom } from './code-discount.ts'
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

/** A line with the changes of an input, or what is wrong with them. */
async function changedLine(
  q: Queries,
  api: Api,
  old: ContractLine,
  input: LineInput,
  currency: string
): Promise<ContractLine | UserError> {
  const priceMinor = input.currentPrice == null ? old.priceMinor : amountFrom(input.currentPrice, currency)
  if (priceMinor === null || priceMinor < 0) {
    return userError(['input', 'currentPrice'], 'Price is invalid', 'GREATER_THAN_OR_EQUAL_TO')
  }
  if (input.quantity != null && input.quantity < 1) {
    return userError(['input', 'quantity'], 'Quantity must be greater than 0', 'GREATER_THAN')
  }
  const other = input.productVariantId
    ? await lineFrom(q, api.shop, { ...idsOf(api, input), currentPrice: '0' }, currency)
    : old
  if (!other) return userError(['input', 'productVariantId'], 'Variant does not exist', 'INVALID')
  return {
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
    ...(input.pricingPolicy ? pricingFrom(input.pricingPolicy, currency) : {}),
    // A price that is set explicitly replaces the price changes that the selling plan scheduled.
    ...(input.currentPrice != null && !input.pricingPolicy ? { cycleDiscounts: [] } : {})
  }
}

function updateLine(_root: unknown, args: { draftId: string; lineId: string; input: LineInput }, api: Api) {
  return edit(api, args.draftId, async ({ q, draft, contract }) => {
    const lineId = lineIdIn(api, args.lineId)
    const old = draft.body.lines.find((line) => line.id === lineId)
    if (!old) return { problem: userError(['lineId'], 'Line does not exist.', 'INVALID') }
    const changed = await changedLine(q, api, old, args.input, contract.currency)
    if ('message' in changed) return { problem: changed }
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
    const found = discountIn(draft, contract, api, args.discountId)
    if (!found) return { problem: userError(['discountId'], 'Discount does not exist.', 'ALREADY_REMOVED') }
    const discounts = draft.body.discounts.filter((discount) => discount.id !== found.id)
    return { terms: { ...draft.body, discounts }, answer: { discountRemoved: found } }
  })
}

function discountIn(draft: Draft, contract: Contract, api: Api, discountId: string) {
  const parsed = parseGid(api.shop, discountId)
  return shownDiscounts(draft.body, contract.currency).find((discount) => discount.id === parsed?.id)
}

/** Replaces a discount of a draft and answers with it. */
function withChanged(draft: Draft, contract: Contract, discount: ContractDiscount): Edit {
  const discounts = draft.body.discounts.map((one) => (one.id === discount.id ? discount : one))
  const terms = { ...draft.body, discounts }
  const discountUpdated = shownDiscounts(terms, contract.currency).find(({ id }) => id === discount.id)
  return { terms, answer: { discountUpdated } }
}

const noDiscount = () => ({ problem: userError(['discountId'], 'Discount does not exist.', 'INVALID') })

type UpdateDiscountArgs = { draftId: string; discountId: string; input: DiscountInput & EntitledInput }

function updateDiscount(_root: unknown, args: UpdateDiscountArgs, api: Api) {
  return edit(api, args.draftId, ({ draft, contract }) => {
    const shown = discountIn(draft, contract, api, args.discountId)
    const old = draft.body.discounts.find(({ id }) => id === shown?.id)
    if (!old || old.targetType === 'SHIPPING_LINE') return noDiscount()
    const { input } = args
    const added = input.entitledLines?.lines?.add?.map((id) => lineIdIn(api, id) ?? '')
    const lineIds = input.entitledLines?.all
      ? null
      : added
        ? [...new Set([...(old.lineIds ?? []), ...added])]
        : old.lineIds
    if (lineIds?.some((id) => !draft.body.lines.some((line) => line.id === id))) {
      return { problem: userError(['input', 'entitledLines'], 'No entitled lines.', 'NO_ENTITLED_LINES') }
    }
    const value = input.value ? discountFrom(input, lineIds, contract.currency) : old
    if (!value) return { problem: userError(['input', 'value'], 'Value is invalid', 'INVALID') }
    return withChanged(draft, contract, {
      ...old,
      lineIds,
      title: input.title === undefined ? old.title : (input.title ?? null),
      percentage: value.percentage,
      amountMinor: value.amountMinor,
      appliesOnEachItem: value.appliesOnEachItem,
      recurringCycleLimit:
        input.recurringCycleLimit === undefined ? old.recurringCycleLimit : (input.recurringCycleLimit ?? null)
    })
  })
}

function updateFreeShipping(_root: unknown, args: UpdateDiscountArgs, api: Api) {
  return edit(api, args.draftId, ({ draft, contract }) => {
    const shown = discountIn(draft, contract, api, args.discountId)
    const old = draft.body.discounts.find(({ id }) => id === shown?.id)
    if (old?.targetType !== 'SHIPPING_LINE') return noDiscount()
    const { title = old.title, recurringCycleLimit = old.recurringCycleLimit } = args.input
    return withChanged(draft, contract, { ...old, title, recurringCycleLimit })
  })
}

/** Redeems a code for what the contract charges. A code that does not apply is added with the reason, and takes nothing off. */
function applyCode(_root: unknown, args: { draftId: string; redeemCode: string }, api: Api) {
  return edit(api, args.draftId, async ({ q, draft, contract }) => {
    const discount = await codeDiscountFrom(q, api, args.redeemCode, contract.currency)
    const others = draft.body.discounts.filter(({ code }) => code?.toLowerCase() !== args.redeemCode.toLowerCase())
    const terms = { ...draft.body, discounts: [...others, discount] }
    return { terms, answer: { appliedDiscount: shownDiscounts(terms, contract.currency).at(-1) } }
  })
}

async function commit(_root: unknown, args: { draftId: string }, api: Api) {
  const id = numberIn(api.shop, 'SubscriptionDraft', args.draftId)
  return api.write(async (q, now) => {
    const refused = (problem: UserError) => ({ contract: null, userErrors: [problem] })
    const draft = await lockDraft(q, api.shop.storeId, id)
    if (!draft) return refused(userError(['draftId'], 'Draft does not exist.', 'INVALID'))
    if (draft.committedAt) return refused(userError(['draftId'], 'Draft is already committed.', 'COMMITTED'))
    if (draft.cycle !== null) {
      return refused(userError(['draftId'], 'The draft is of a billing cycle.', 'BILLING_CYCLE_PRESENT'))
    }
    const contract = await lockContract(q, api.shop.storeId, draft.contractId)
    if (contract?.revisionId !== draft.baseRevision) {
      return refused(userError(['draftId'], 'The contract has changed since the draft was made.', 'STALE_CONTRACT'))
    }
    await markCommitted(q, api.shop.storeId, id, now)
    return { contract: await writeTerms(q, api.shop, contract, draft.body, now), userErrors: [] }
  })
}

type ProductChange = {
  subscriptionContractId: string
  lineId: string
  input: Pick<LineInput, 'productVariantId' | 'currentPrice'>
}

/** Changes what a line of a contract sells, or its price, without a draft. */
async function changeProduct(_root: unknown, args: ProductChange, api: Api) {
  const id = numberIn(api.shop, 'SubscriptionContract', args.subscriptionContractId)
  return api.write(async (q, now) => {
    const refused = (field: string[], message: string, code: string) => ({
      contract: null,
      lineUpdated: null,
      userErrors: [userError(field, message, code)]
    })
    const contract = await lockContract(q, api.shop.storeId, id)
    if (!contract) return refused(['subscriptionContractId'], 'Subscription contract does not exist.', 'INVALID')
    if (contract.status === 'CANCELLED' || contract.status === 'EXPIRED') {
      return refused(['subscriptionContractId'], 'Contract is terminated.', 'INVALID')
    }
    const lineId = lineIdIn(api, args.lineId)
    const old = contract.lines.find((line) => line.id === lineId)
    if (!old) return refused(['lineId'], 'Line does not exist.', 'INVALID')
    const changed = await changedLine(q, api, old, args.input, contract.currency)
    if ('message' in changed) return refused(changed.field!, changed.message, changed.code!)
    const lines = contract.lines.map((line) => (line.id === lineId ? changed : line))
    const written = await writeTerms(q, api.shop, contract, { ...termsOf(contract), lines }, now)
    const lineUpdated = shownLines(written, written.currency).find((line) => line.id === lineId)
    return { contract: written, lineUpdated, userErrors: [] }
  })
}

export const draftResolvers: Resolvers = {
  QueryRoot: {
    subscriptionDraft: (_root: unknown, { id }: { id: string }, api: Api) =>
      findDraft(api.db.direct, api.shop.storeId, numberIn(api.shop, 'SubscriptionDraft', id))
  },
  Mutation: {
    subscriptionContractUpdate: openDraft,
    subscriptionContractProductChange: changeProduct,
    subscriptionDraftUpdate: updateDraft,
    subscriptionDraftLineAdd: addLine,
    subscriptionDraftLineUpdate: updateLine,
    subscriptionDraftLineRemove: removeLine,
    subscriptionDraftDiscountAdd: addDiscount,
    subscriptionDraftDiscountUpdate: updateDiscount,
    subscriptionDraftDiscountCodeApply: applyCode,
    subscriptionDraftFreeShippingDiscountAdd: addFreeShipping,
    subscriptionDraftFreeShippingDiscountUpdate: updateFreeShipping,
    subscriptionDraftDiscountRemove: removeDiscount,
    subscriptionDraftCommit: commit
  },
  SubscriptionDraft: {
    billingCycle: async ({ contractId, cycle }: Draft, _args: unknown, api: Api) => {
      const contract = cycle === null ? null : await api.load.contract.get(contractId)
      if (!contract) return null
      const edits = await listCycleEdits(api.db.direct, api.shop.storeId, [contractId])
      return editedCycle(contract, cycle! - contract.cyclesBefore, edits, api.shop.timezone)
    },
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
