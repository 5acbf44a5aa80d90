import { cycleAt, cycleOf } from '../billing/cycles.ts'
import { cycleNumber, type EditedCycle, editedCycle, editOf } from '../billing/edited-cycles.ts'
import type { Attempt } from '../state/attempts.ts'
import type { Contract, ContractTerms } from '../state/contracts.ts'
import { termsOf } from '../state/contracts.ts'
import { type CycleEdit, deleteCycleEdits, listCycleEdits, saveCycleEdit } from '../state/cycle-edits.ts'
import { findDraft, insertDraft, lockDraft, markCommitted } from '../state/drafts.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { numberIn } from '../wire/gid.ts'
import { moneyV2 } from '../wire/money.ts'
import { paymentMethodOf, shownDiscounts, shownLines } from './contracts.ts'
import { theApp } from './shop.ts'
import { type UserError, userError } from './user-errors.ts'

export type CycleInput = { contractId: string; selector: { index?: number | null; date?: Temporal.Instant | null } }

const PLACE = ['billingCycleInput']
const noCycle = (field: string[]) =>
  userError(
    field,
    'Billing cycle selector cannot select billing cycle outside of index range.',
    'CYCLE_INDEX_OUT_OF_RANGE'
  )

type Selected = { contract: Contract; index: number }

/** The contract and the index of a cycle that has not been billed. */
async function selected(api: Api, { contractId, selector }: CycleInput): Promise<Selected | UserError> {
  const contract = await api.load.contract.get(numberIn(api.shop, 'SubscriptionContract', contractId))
  if (!contract) return userError([...PLACE, 'contractId'], 'Subscription contract does not exist.', 'INVALID')
  const at = [...PLACE, 'selector']
  if ((selector.index == null) === (selector.date == null)) {
    return userError(at, 'Exactly one of index and date is required.', 'INVALID')
  }
  const index = selector.date ? cycleAt(contract, selector.date, api.shop.timezone).index : selector.index!
  return index < 1 ? noCycle([...at, 'index']) : { contract, index }
}

const isBilled = async (api: Api, { contract, index }: Selected): Promise<boolean> =>
  ((await api.load.attemptsOf.get(contract.id)) ?? []).some(
    (one) => isOfCycle(one, contract, index) && one.status === 'succeeded'
  )

/** Whether an attempt was for this cycle in the contract's present numbering. */
export function isOfCycle(attempt: Attempt, contract: Contract, index: number): boolean {
  return attempt.cycleIndex === index && attempt.cyclesBefore === contract.cyclesBefore
}

type Change = Partial<Pick<CycleEdit, 'isSkipped' | 'billingAt' | 'terms'>>

/** Changes one cycle that is not billed, and returns it. */
async function change(api: Api, found: Selected, to: Change): Promise<EditedCycle | UserError> {
  const { contract, index } = found
  if (await isBilled(api, found)) return userError([...PLACE, 'selector'], 'Billing cycle has been billed.', 'INVALID')
  const { storeId } = api.shop
  await api.write(async (q, now) => {
    const old = await editOf(q, storeId, contract, index)
    const none = {
      contractId: contract.id,
      cycle: cycleNumber(contract, index),
      isSkipped: false,
      billingAt: null,
      terms: null
    }
    await saveCycleEdit(q, storeId, { ...(old ?? none), ...to }, now)
  })
  return shown(api, contract, index)
}

async function shown(api: Api, contract: Contract, index: number): Promise<EditedCycle> {
  return editedCycle(
    contract,
    index,
    await listCycleEdits(api.db.direct, api.shop.storeId, [contract.id]),
    api.shop.timezone
  )
}

const payload = (result: EditedCycle | UserError) =>
  'message' in result ? { billingCycle: null, userErrors: [result] } : { billingCycle: result, userErrors: [] }

const skipMutation =
  (isSkipped: boolean) => async (_root: unknown, args: { billingCycleInput: CycleInput }, api: Api) => {
    const found = await selected(api, args.billingCycleInput)
    // These two know but one code.
    const result = 'message' in found ? found : await change(api, found, { isSkipped })
    return payload('message' in result ? { ...result, code: 'INVALID' } : result)
  }

type ScheduleInput = { billingDate?: Temporal.Instant | null; skip?: boolean | null; reason: string }

async function scheduleEdit(_root: unknown, args: { billingCycleInput: CycleInput; input: ScheduleInput }, api: Api) {
  const { billingDate, skip } = args.input
  if (billingDate == null && skip == null) {
    return payload(userError(['input'], 'Schedule edit input is empty.', 'EMPTY_BILLING_CYCLE_EDIT_SCHEDULE_INPUT'))
  }
  const found = await selected(api, args.billingCycleInput)
  if ('message' in found) return payload(found)
  const edit = await editOf(api.db.direct, api.shop.storeId, found.contract, found.index)
  if (billingDate && (skip ?? edit?.isSkipped)) {
    const skipped = 'Billing date cannot be set on skipped billing cycle.'
    return payload(userError(['input', 'billingDate'], skipped, 'BILLING_DATE_SET_ON_SKIPPED'))
  }
  // A cycle is billed between the ends of its neighbours.
  const end = (index: number) => cycleOf(found.contract, index, api.shop.timezone).endAt
  const before = found.index === 1 ? found.contract.createdAt : end(found.index - 1)
  const isWithin = (at: Temporal.Instant) =>
    Temporal.Instant.compare(at, before) > 0 && Temporal.Instant.compare(at, end(found.index + 1)) < 0
  if (billingDate && !isWithin(billingDate)) {
    return payload(userError(['input', 'billingDate'], 'Billing date is out of bounds.', 'OUT_OF_BOUNDS'))
  }
  return payload(
    await change(api, found, {
      ...(skip != null && { isSkipped: skip }),
      ...(billingDate && { billingAt: billingDate })
    })
  )
}

/** Opens a draft of one cycle's terms. */
async function editContract(_root: unknown, args: { billingCycleInput: CycleInput }, api: Api) {
  const refused = (problem: UserError) => ({ draft: null, userErrors: [problem] })
  const found = await selected(api, args.billingCycleInput)
  if ('message' in found) return refused(found)
  if (await isBilled(api, found)) return refused(userError(PLACE, 'Billing cycle has been billed.', 'INVALID'))
  const { contract, index } = found
  const edit = await editOf(api.db.direct, api.shop.storeId, contract, index)
  const body = edit?.terms ?? termsOf(contract)
  const draft = await api.write((q) => insertDraft(q, api.shop.storeId, contract, body, cycleNumber(contract, index)))
  return { draft, userErrors: [] }
}

async function commit(_root: unknown, args: { draftId: string }, api: Api) {
  const id = numberIn(api.shop, 'SubscriptionDraft', args.draftId)
  const refused = (message: string, code: string) => ({
    contract: null,
    userErrors: [userError(['draftId'], message, code)]
  })
  const draft = await findDraft(api.db.direct, api.shop.storeId, id)
  const contract = draft && (await api.load.contract.get(draft.contractId))
  if (!draft || !contract) return refused('Draft does not exist.', 'INVALID')
  if (draft.cycle === null) return refused('The draft is not of a billing cycle.', 'BILLING_CYCLE_ABSENT')
  const isDone = await api.write(async (q) => {
    const locked = await lockDraft(q, api.shop.storeId, id)
    if (locked?.committedAt) return false
    await markCommitted(q, api.shop.storeId, id, await api.now())
    return true
  })
  if (!isDone) return refused('Draft is already committed.', 'COMMITTED')
  const found = { contract, index: draft.cycle - contract.cyclesBefore }
  const changed = await change(api, found, { terms: draft.body })
  return 'message' in changed
    ? refused(changed.message, 'INVALID')
    : { contract: editedContract(changed), userErrors: [] }
}

async function deleteEdit(_root: unknown, args: { billingCycleInput: CycleInput }, api: Api) {
  const refused = (problem: UserError) => ({ billingCycles: null, userErrors: [problem] })
  const found = await selected(api, args.billingCycleInput)
  if ('message' in found) return refused(found)
  const { contract, index } = found
  const number = cycleNumber(contract, index)
  const gone = await api.write((q) => deleteCycleEdits(q, api.shop.storeId, contract.id, number, number))
  if (gone.length === 0) return refused(userError(PLACE, 'There are no edits of the billing cycle.', 'NO_CYCLE_EDITS'))
  return { billingCycles: [await shown(api, contract, index)], userErrors: [] }
}

/** Deletes all edits of cycles to come. */
async function deleteEdits(_root: unknown, args: { contractId: string }, api: Api) {
  const contract = await api.load.contract.get(numberIn(api.shop, 'SubscriptionContract', args.contractId))
  const refused = (field: string, message: string, code: string) => ({
    billingCycles: null,
    userErrors: [userError([field], message, code)]
  })
  if (!contract) return refused('contractId', 'Subscription contract does not exist.', 'INVALID')
  const gone = await api.write((q) =>
    deleteCycleEdits(q, api.shop.storeId, contract.id, cycleNumber(contract, 1), null)
  )
  if (gone.length === 0) return refused('contractId', 'There are no edits of billing cycles.', 'NO_CYCLE_EDITS')
  const cycles = await Promise.all(gone.map((cycle) => shown(api, contract, cycle - contract.cyclesBefore)))
  return { billingCycles: cycles, userErrors: [] }
}

type EditedContract = Contract & { terms: ContractTerms; editedAt: Temporal.Instant }

/** The contract as it is in one cycle; null where it is as always. */
export function editedContract({ contract, edit }: EditedCycle): EditedContract | null {
  return edit?.terms ? { ...contract, terms: edit.terms, editedAt: edit.updatedAt } : null
}

export const cycleEditResolvers: Resolvers = {
  QueryRoot: {
    subscriptionBillingCycle: async (_root: unknown, args: { billingCycleInput: CycleInput }, api: Api) => {
      const found = await selected(api, args.billingCycleInput)
      return 'message' in found ? null : shown(api, found.contract, found.index)
    }
  },
  Mutation: {
    subscriptionBillingCycleSkip: skipMutation(true),
    subscriptionBillingCycleUnskip: skipMutation(false),
    subscriptionBillingCycleScheduleEdit: scheduleEdit,
    subscriptionBillingCycleContractEdit: editContract,
    subscriptionBillingCycleContractDraftCommit: commit,
    subscriptionBillingCycleEditDelete: deleteEdit,
    subscriptionBillingCycleEditsDelete: deleteEdits
  },
  SubscriptionBillingCycleEditedContract: {
    app: theApp,
    currencyCode: ({ currency }: EditedContract) => currency,
    updatedAt: ({ editedAt }: EditedContract) => editedAt,
    note: ({ terms }: EditedContract) => terms.note,
    customAttributes: ({ terms }: EditedContract) => terms.customAttributes,
    customer: ({ customerId }: EditedContract, _args: unknown, api: Api) => api.load.customer.get(customerId),
    customerPaymentMethod: ({ terms }: EditedContract, args: { showRevoked?: boolean }, api: Api) =>
      paymentMethodOf(terms.paymentToken, args, api),
    deliveryPrice: ({ terms, currency }: EditedContract) => moneyV2(terms.deliveryPriceMinor, currency),
    lineCount: ({ terms }: EditedContract) => terms.lines.length,
    linesCount: ({ terms }: EditedContract) => ({ count: terms.lines.length, precision: 'EXACT' }),
    lines: ({ terms, currency }: EditedContract, args: PageArgs) => pageOf(shownLines(terms, currency), args),
    discounts: ({ terms, currency }: EditedContract, args: PageArgs) =>
      pageOf(
        shownDiscounts(terms, currency).filter(({ code }) => code === undefined),
        args
      )
  }
}
