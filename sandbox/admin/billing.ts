import { type CreatedAttempt, createAttempt } from '../billing/create-attempt.ts'
import { cycleAt } from '../billing/cycles.ts'
import { type EditedCycle, editedCycle } from '../billing/edited-cycles.ts'
import { errorKindOf } from '../billing/outcomes.ts'
import type { Attempt } from '../state/attempts.ts'
import { listCycleEdits } from '../state/cycle-edits.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { badPage, type PageArgs, pageOf } from '../wire/connections.ts'
import { numberIn } from '../wire/gid.ts'
import { listing } from '../wire/pages.ts'
import { editedContract, isOfCycle } from './cycle-edits.ts'
import { userError } from './user-errors.ts'

const pageOfAttempts = listing({
  table: 'sandbox.billing_attempts',
  sorts: { CREATED_AT: 'created_at' },
  where: `($6::jsonb->>'ready_eq' is null or (status in ('succeeded', 'failed')) = ($6::jsonb->>'ready_eq' = 'true'))
               and ($6::jsonb->>'error_code_eq' is null or lower(error_code) = lower($6::jsonb->>'error_code_eq'))
               and ($6::jsonb->>'contract_id_eq' is null or contract_id = ($6::jsonb->>'contract_id_eq')::bigint)`
})

const PROBLEMS = {
  CONTRACT_NOT_FOUND: ['subscriptionContractId', 'Subscription contract does not exist.'],
  CONTRACT_PAUSED: ['subscriptionContractId', 'Subscription contract cannot be billed if paused.'],
  CONTRACT_TERMINATED: ['subscriptionContractId', 'Subscription contract cannot be billed once terminated.'],
  BILLING_CYCLE_SKIPPED: ['billingCycleSelector', 'Billing cycle is skipped.'],
  CYCLE_INDEX_OUT_OF_RANGE: [
    'billingCycleSelector',
    'Billing cycle selector cannot select billing cycle outside of index range.'
  ]
} as const

function payload({ attempt, problem }: CreatedAttempt) {
  if (!problem) return { subscriptionBillingAttempt: attempt, userErrors: [] }
  const [field, message] = PROBLEMS[problem]
  return { subscriptionBillingAttempt: null, userErrors: [userError([field], message, problem)] }
}

type SelectorInput = { index?: number | null; date?: Temporal.Instant | null }

function cycleFrom(selector: SelectorInput | null | undefined): { index: number } | { date: Temporal.Instant } | null {
  if (selector?.index != null) return { index: selector.index }
  return selector?.date ? { date: selector.date } : null
}

async function create(
  _root: unknown,
  args: {
    subscriptionContractId: string
    subscriptionBillingAttemptInput: {
      idempotencyKey: string
      originTime?: Temporal.Instant | null
      billingCycleSelector?: SelectorInput | null
    }
  },
  api: Api
) {
  const input = args.subscriptionBillingAttemptInput
  if (input.idempotencyKey === '') {
    const blank = userError(
      ['subscriptionBillingAttemptInput', 'idempotencyKey'],
      "Idempotency key can't be blank",
      'BLANK'
    )
    return { subscriptionBillingAttempt: null, userErrors: [blank] }
  }
  return payload(
    await createAttempt(api, {
      contractId: numberIn(api.shop, 'SubscriptionContract', args.subscriptionContractId),
      idempotencyKey: input.idempotencyKey,
      cycle: cycleFrom(input.billingCycleSelector),
      originAt: input.originTime ?? null
    })
  )
}

/** Charges a billing cycle; the cycle itself is the idempotency key. */
async function chargeCycle(
  _root: unknown,
  args: { subscriptionContractId: string; billingCycleSelector: SelectorInput },
  api: Api
) {
  const contractId = numberIn(api.shop, 'SubscriptionContract', args.subscriptionContractId)
  const contract = await api.load.contract.get(contractId)
  const requested = cycleFrom(args.billingCycleSelector)
  if (!contract || !requested) return payload({ attempt: null, problem: 'CONTRACT_NOT_FOUND' })
  const { timezone } = api.shop
  const index = 'date' in requested ? cycleAt(contract, requested.date, timezone).index : requested.index
  const cycle = editedCycle(
    contract,
    index,
    await listCycleEdits(api.db.direct, api.shop.storeId, [contractId]),
    timezone
  )
  if (cycle.index < 1) return payload({ attempt: null, problem: 'CYCLE_INDEX_OUT_OF_RANGE' })
  const now = await api.now()
  if (Temporal.Instant.compare(now, cycle.expectedAt.subtract({ hours: 24 })) < 0) {
    const early = userError(
      ['billingCycleSelector'],
      'Billing cycle charge attempt made more than 24 hours before the billing cycle `billingAttemptExpectedDate`.',
      'BILLING_CYCLE_CHARGE_BEFORE_EXPECTED_DATE'
    )
    return { subscriptionBillingAttempt: null, userErrors: [early] }
  }
  const tries = ((await api.load.attemptsOf.get(contractId)) ?? []).filter(
    (attempt) => isOfCycle(attempt, contract, cycle.index) && attempt.status === 'failed'
  )
  const idempotencyKey = `cycle-${contract.cyclesBefore + cycle.index}-${tries.length}`
  const originAt = Temporal.Instant.compare(cycle.expectedAt, now) < 0 ? cycle.expectedAt : now
  return payload(await createAttempt(api, { contractId, idempotencyKey, cycle: { index: cycle.index }, originAt }))
}

async function cycles(
  _root: unknown,
  args: PageArgs & {
    contractId: string
    billingCyclesDateRangeSelector?: { startDate: Temporal.Instant; endDate: Temporal.Instant } | null
    billingCyclesIndexRangeSelector?: { startIndex: number; endIndex: number } | null
  },
  api: Api
) {
  const contract = await api.load.contract.get(numberIn(api.shop, 'SubscriptionContract', args.contractId))
  if (!contract) return pageOf([], args)
  const { timezone } = api.shop
  const range = args.billingCyclesIndexRangeSelector
  const dates = args.billingCyclesDateRangeSelector
  const from = range?.startIndex ?? (dates ? cycleAt(contract, dates.startDate, timezone).index : 1)
  // Without a range, a year of cycles from the first.
  const to = range?.endIndex ?? (dates ? cycleAt(contract, dates.endDate, timezone).index : from + 11)
  if (from < 1 || to < from || to - from > 1000) throw badPage('Invalid billing cycles range')
  const edits = await listCycleEdits(api.db.direct, api.shop.storeId, [contract.id])
  const all = Array.from({ length: to - from + 1 }, (_, i) => {
    return editedCycle(contract, from + i, edits, timezone)
  })
  return pageOf(all, args)
}

async function attemptsOfCycle({ contract, index }: EditedCycle, api: Api): Promise<Attempt[]> {
  return ((await api.load.attemptsOf.get(contract.id)) ?? []).filter((attempt) => isOfCycle(attempt, contract, index))
}

function challengeUrl(attempt: Attempt, api: Api): string | null {
  return attempt.status === 'challenged' ? `${api.baseUrl}/challenges/${attempt.challenge}` : null
}

const noVariants = (args: PageArgs) => pageOf([], args)

function stateOf(attempt: Attempt, _args: unknown, api: Api) {
  switch (attempt.status) {
    case 'pending':
      return { __typename: 'SubscriptionBillingAttemptPendingState', processing: true }
    case 'challenged':
      return {
        __typename: 'SubscriptionBillingAttemptActionRequiredState',
        action: {
          __typename: 'SubscriptionBillingAttemptPaymentChallenge',
          nextActionUrl: challengeUrl(attempt, api),
          status: 'ON_SESSION_CHALLENGED'
        }
      }
    case 'succeeded':
      return { __typename: 'SubscriptionBillingAttemptSuccessState', orderId: attempt.orderId }
    case 'failed': {
      const code = attempt.errorCode ?? 'UNEXPECTED_ERROR'
      const error = {
        __typename: `SubscriptionBillingAttempt${errorKindOf(code)}Error`,
        code,
        message: attempt.errorMessage
      }
      return { __typename: 'SubscriptionBillingAttemptFailedState', error }
    }
  }
}

export const billingResolvers: Resolvers = {
  QueryRoot: {
    subscriptionBillingAttempt: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.attempt.get(numberIn(api.shop, 'SubscriptionBillingAttempt', id)),
    subscriptionBillingAttempts: (_root: unknown, args: PageArgs & { sortKey?: string; query?: string }, api: Api) =>
      pageOfAttempts(api.db.direct, api.shop.storeId, args, (ids) => api.load.attempt.list(ids)),
    subscriptionBillingCycles: cycles
  },
  Mutation: { subscriptionBillingAttemptCreate: create, subscriptionBillingCycleCharge: chargeCycle },
  SubscriptionBillingAttempt: {
    originTime: ({ originAt }: Attempt) => originAt,
    ready: ({ status }: Attempt) => status === 'succeeded' || status === 'failed',
    nextActionUrl: (attempt: Attempt, _args: unknown, api: Api) => challengeUrl(attempt, api),
    order: ({ orderId }: Attempt, _args: unknown, api: Api) => orderId && api.load.order.get(orderId),
    processingError: ({ errorCode, errorMessage }: Attempt) =>
      errorCode && errorKindOf(errorCode) === 'Inventory'
        ? {
            __typename: 'SubscriptionBillingAttemptInsufficientStockProductVariantsError',
            code: errorCode,
            message: errorMessage
          }
        : null,
    state: stateOf,
    subscriptionContract: ({ contractId }: Attempt, _args: unknown, api: Api) => api.load.contract.get(contractId),
    transactions: async ({ orderId }: Attempt, args: PageArgs, api: Api) =>
      pageOf((orderId && (await api.load.transactionsOf.get(orderId))) || [], args)
  },
  SubscriptionBillingAttemptSuccessState: {
    order: ({ orderId }: { orderId: string | null }, _args: unknown, api: Api) => orderId && api.load.order.get(orderId)
  },
  SubscriptionBillingAttemptInventoryError: {
    insufficientStockProductVariants: (_error: unknown, args: PageArgs) => noVariants(args)
  },
  SubscriptionBillingAttemptInsufficientStockProductVariantsError: {
    insufficientStockProductVariants: (_error: unknown, args: PageArgs) => noVariants(args)
  },
  SubscriptionBillingCycle: {
    cycleIndex: ({ index }: EditedCycle) => index,
    cycleStartAt: ({ startAt }: EditedCycle) => startAt,
    cycleEndAt: ({ endAt }: EditedCycle) => endAt,
    billingAttemptExpectedDate: ({ expectedAt }: EditedCycle) => expectedAt,
    edited: ({ edit }: EditedCycle) => edit?.terms != null || edit?.billingAt != null,
    skipped: ({ edit }: EditedCycle) => edit?.isSkipped ?? false,
    sourceContract: ({ contract }: EditedCycle) => contract,
    editedContract: (cycle: EditedCycle) => editedContract(cycle),
    status: async (cycle: EditedCycle, _args: unknown, api: Api) =>
      (await attemptsOfCycle(cycle, api)).some((attempt) => attempt.status === 'succeeded') ? 'BILLED' : 'UNBILLED',
    billingAttempts: async (cycle: EditedCycle, args: PageArgs, api: Api) =>
      pageOf(await attemptsOfCycle(cycle, api), args)
  }
}
