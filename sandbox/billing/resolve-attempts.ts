import { type Queries, row, sql, text } from '#kit/postgres'
import { type Message, queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { attemptPayload } from '../outgoing/subscription-payloads.ts'
import type { Shop } from '../shop.ts'
import { type Attempt, type AttemptResult, findAttempts, resolveAttempts } from '../state/attempts.ts'
import { type Contract, findContracts } from '../state/contracts.ts'
import { type Customer, findCustomers } from '../state/customers.ts'
import { listCycleEdits } from '../state/cycle-edits.ts'
import { findPaymentMethods, type PaymentMethod } from '../state/payment-methods.ts'
import { keyedBy } from '../wire/loader.ts'
import { type Charge, chargeOf } from './charge.ts'
import { type DeclineCode, declineOf, errorKindOf, messageOf } from './outcomes.ts'
import { orderMessages, type PlacedOrder, type Purchase, placeOrders } from './place-orders.ts'

const BATCH = 200
export const GATEWAY = 'bogus'

/**
 * Resolves a batch of due attempts, oldest first, with a fixed number of statements, in the caller's transaction. Returns the
 * number of attempts.
 */
export async function resolveDueAttempts(q: Queries, shop: Shop, now: Temporal.Instant): Promise<number> {
  const due = await q.many(
    row({ id: text }),
    sql`
    select id::text as id from sandbox.billing_attempts
     where store_id = ${shop.storeId} and status = 'pending' and resolve_at <= ${now}
     order by resolve_at, billing_attempts.id limit ${BATCH} for update skip locked`
  )
  await resolveAttemptsNow(
    q,
    shop,
    due.map(({ id }) => id),
    now
  )
  return due.length
}

/**
 * Gives due attempts their other result: those that were reported as failed although they were paid, and those that are reported
 * as failed although they had been paid. Outcome `reported_failed` has no webhook: an app sees the correction only when it reads
 * the attempt. Returns the number of attempts.
 */
export async function correctDueAttempts(q: Queries, shop: Shop, now: Temporal.Instant): Promise<number> {
  const due = await q.many(
    row({ id: text, outcome: text }),
    sql`
    update sandbox.billing_attempts a set corrected_at = null
      from (select id from sandbox.billing_attempts
             where store_id = ${shop.storeId} and corrected_at <= ${now}
             order by corrected_at, billing_attempts.id limit ${BATCH} for update skip locked) due
     where a.store_id = ${shop.storeId} and a.id = due.id
    returning a.id::text as id, a.outcome`
  )
  const [reversed, paid] = [due.filter(isReversed), due.filter((one) => !isReversed(one))]
  await resolveAttemptsNow(
    q,
    shop,
    paid.map(({ id }) => id),
    now,
    'paid all along'
  )
  await reverse(
    q,
    shop,
    reversed.map(({ id }) => id),
    now
  )
  return due.length
}

const isReversed = ({ outcome }: { outcome: string }) => outcome === 'reversed'

/** Reports paid attempts as failed. Their orders stay as they are: the money was taken. */
async function reverse(q: Queries, shop: Shop, ids: string[], now: Temporal.Instant) {
  if (ids.length === 0) return
  const attempts = await findAttempts(q, shop.storeId, ids)
  const failed = { status: 'failed', errorCode: 'GENERIC_ERROR', errorMessage: messageOf('GENERIC_ERROR') } as const
  const results = attempts.map(({ id, orderId }): AttemptResult => ({ ...failed, id, orderId }))
  await resolveAttempts(q, shop.storeId, results, now)
  const messages = attempts.flatMap((attempt) => {
    const payload = attemptPayload(shop, { ...attempt, ...failed, orderId: null })
    return webhookMessage([{ topic: 'subscription_billing_attempts/failure', payload }])
  })
  await queueWebhooks(q, shop, messages, now)
}

/** Fails payments that nobody confirmed in time. Returns their number. */
export async function expireDueChallenges(q: Queries, shop: Shop, now: Temporal.Instant): Promise<number> {
  const due = await q.many(
    row({ id: text }),
    sql`
    select id::text as id from sandbox.billing_attempts
     where store_id = ${shop.storeId} and status = 'challenged' and resolve_at <= ${now}
     order by resolve_at, billing_attempts.id limit ${BATCH} for update skip locked`
  )
  const ids = due.map(({ id }) => id)
  await resolveAttemptsNow(q, shop, ids, now, 'expired')
  return due.length
}

/** `decide` replaces the card's script: with a person's decision on a challenged payment, its expiry, or a correction. */
export async function resolveAttemptsNow(
  q: Queries,
  shop: Shop,
  ids: string[],
  now: Temporal.Instant,
  decide?: Decision
) {
  if (ids.length === 0) return
  const attempts = (await findAttempts(q, shop.storeId, ids)).sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)))
  const contracts = keyedBy(
    await findContracts(
      q,
      shop.storeId,
      attempts.map((attempt) => attempt.contractId)
    ),
    'id'
  )
  const customers = keyedBy(
    await findCustomers(
      q,
      shop.storeId,
      [...contracts.values()].map((contract) => contract.customerId)
    ),
    'id'
  )
  const tokens = [...contracts.values()].map((contract) => contract.paymentToken).filter((token) => token !== null)
  const cards = keyedBy(await findPaymentMethods(q, shop.storeId, tokens), 'id')
  const paid = await paidCycles(q, shop, attempts)
  const edits = await listCycleEdits(q, shop.storeId, [...contracts.keys()])

  const cases = attempts.map((attempt): Case => {
    const contract = contracts.get(attempt.contractId)!
    const card = contract.paymentToken === null ? null : (cards.get(contract.paymentToken) ?? null)
    const customer = customers.get(contract.customerId) ?? null
    const cycle = `${attempt.contractId}:${attempt.cyclesBefore}:${attempt.cycleIndex}`
    const isPaid = paid.has(cycle)
    const verdict =
      isPaid && !shop.chargeFaults?.paysAgain
        ? 'INVOICE_ALREADY_PAID'
        : contract.status === 'ACTIVE' || decide === 'paid all along'
          ? verdictOf(attempt, customer, card, decide)
          : 'CANCELLED_PAYMENT'
    if (verdict === 'paid' || verdict === 'reported_failed') paid.add(cycle)
    const number = attempt.cyclesBefore + attempt.cycleIndex
    const edit = edits.find((one) => one.contractId === contract.id && one.cycle === number)
    const charge = chargeOf(edit?.terms ?? contract, number)
    return { attempt, contract, customer, card, verdict, isPaidAgain: isPaid && verdict === 'paid', charge }
  })

  const bought = cases.filter(({ verdict }) => verdict === 'paid')
  const placed = await placeOrders(q, shop, bought.map(purchaseOf), now)
  const orders = new Map(bought.map((found, i) => [found.attempt.id, placed[i]!]))

  const results = cases.map((found) => answerOf(found, orders.get(found.attempt.id)?.order.id ?? null, now))
  const resultById = new Map(results.map((result) => [result.id, result]))
  await resolveAttempts(q, shop.storeId, results, now)
  await markContracts(q, shop, cases)
  await queueWebhooks(
    q,
    shop,
    cases
      .filter(({ attempt }) => decide !== 'paid all along' || attempt.outcome === 'corrected')
      .flatMap((found) => messagesOf(shop, found, resultById.get(found.attempt.id)!, orders.get(found.attempt.id))),
    now
  )
}

type Decision = 'confirmed' | 'refused' | 'expired' | 'paid all along'
/** `reported_failed`: paid, but reported as failed for now. */
type Verdict = 'paid' | 'challenged' | 'reported_failed' | DeclineCode
type Case = {
  attempt: Attempt
  contract: Contract
  /** Null if the customer was deleted. */
  customer: Customer | null
  card: PaymentMethod | null
  verdict: Verdict
  /** A payment of a cycle that was paid before. */
  isPaidAgain: boolean
  charge: Charge
}

function verdictOf(
  attempt: Attempt,
  customer: Customer | null,
  card: PaymentMethod | null,
  decide?: Decision
): Verdict {
  if (!customer) return 'CUSTOMER_NOT_FOUND'
  if (decide === 'expired') return 'EXPIRED_BUYER_ACTION'
  if (decide) return decide === 'refused' ? 'AUTHENTICATION_FAILED' : 'paid'
  if (!card) return 'PAYMENT_METHOD_NOT_SPECIFIED'
  if (card.revokedAt) return 'INVALID_PAYMENT_METHOD'
  if (attempt.outcome === '3ds') return 'challenged'
  if (attempt.outcome === 'reported_failed' || attempt.outcome === 'corrected') return 'reported_failed'
  return declineOf(attempt.outcome) ?? 'paid'
}

/** The paid cycles as `contract:numbering:cycle`, including those still reported as failed. */
async function paidCycles(q: Queries, shop: Shop, attempts: Attempt[]): Promise<Set<string>> {
  const rows = await q.many(
    row({ cycle: text }),
    sql`
    select a.contract_id || ':' || a.cycles_before || ':' || a.cycle_index as cycle
      from unnest(${attempts.map((a) => a.contractId)}::bigint[], ${attempts.map((a) => a.cyclesBefore)}::int[],
                  ${attempts.map((a) => a.cycleIndex)}::int[])
           as asked(contract_id, cycles_before, cycle_index)
      join sandbox.billing_attempts a on a.store_id = ${shop.storeId} and a.contract_id = asked.contract_id
           and a.cycles_before = asked.cycles_before and a.cycle_index = asked.cycle_index and (a.status = 'succeeded' or a.corrected_at is not null)`
  )
  return new Set(rows.map(({ cycle }) => cycle))
}

function purchaseOf({ contract, customer, card, charge }: Case): Purchase {
  return {
    customer: customer!,
    contractId: contract.id,
    currency: contract.currency,
    lines: charge.lines.map((line) => ({
      productId: line.productId,
      variantId: line.variantId,
      title: line.title,
      variantTitle: line.variantTitle,
      sku: line.sku,
      quantity: line.quantity,
      priceMinor: line.chargedPriceMinor,
      discountMinor: line.discountMinor,
      sellingPlanId: line.sellingPlanId,
      sellingPlanName: line.sellingPlanName
    })),
    discounts: charge.discounts,
    shippingMinor: charge.shippingMinor,
    payments: charge.totalMinor > 0 ? [{ gateway: GATEWAY, amountMinor: charge.totalMinor, card }] : [],
    tags: [],
    sourceName: 'subscription_contract'
  }
}

/** The time that a customer has to confirm a payment. */
const CHALLENGE_DAYS = 7
/** How long an attempt has its first result when that is not the last one. */
const CORRECTION_AFTER_MINUTES = 60

function answerOf(
  { attempt, verdict, isPaidAgain: paidAgain }: Case,
  orderId: string | null,
  now: Temporal.Instant
): AttemptResult {
  const otherResultAt = now.add({ minutes: CORRECTION_AFTER_MINUTES })
  if (verdict === 'paid') {
    const correctedAt = isReversed(attempt) ? otherResultAt : null
    return { id: attempt.id, status: 'succeeded', errorCode: null, errorMessage: null, orderId, correctedAt, paidAgain }
  }
  if (verdict === 'challenged') {
    const resolveAt = now.add({ hours: 24 * CHALLENGE_DAYS })
    return { id: attempt.id, status: 'challenged', errorCode: null, errorMessage: null, orderId: null, resolveAt }
  }
  const code = verdict === 'reported_failed' ? 'GENERIC_ERROR' : verdict
  return {
    id: attempt.id,
    status: 'failed',
    errorCode: code,
    errorMessage: messageOf(code),
    orderId: null,
    correctedAt: verdict === 'reported_failed' ? otherResultAt : null
  }
}

/** Updates the contracts' last payment status and the usage of their discounts. */
async function markContracts(q: Queries, shop: Shop, cases: Case[]) {
  const marks = cases
    .filter(({ verdict }) => verdict !== 'challenged')
    .map(({ contract, verdict, charge }) => ({
      id: contract.id,
      paid: verdict === 'paid',
      errorType: verdict === 'paid' ? null : errorTypeOf(verdict === 'reported_failed' ? 'GENERIC_ERROR' : verdict),
      used: verdict === 'paid' ? charge.usedDiscountIds : []
    }))
  if (marks.length === 0) return
  await q.run(sql`
    update sandbox.contracts c
       set last_payment_status = case when n.paid then 'SUCCEEDED' else 'FAILED' end, last_error_type = n."errorType",
           discounts = case when jsonb_array_length(n.used) = 0 then c.discounts else (
             select jsonb_agg(case when n.used ? (d->>'id')
                                   then jsonb_set(d, '{usageCount}', to_jsonb((d->>'usageCount')::int + 1)) else d end)
               from jsonb_array_elements(c.discounts) as d) end
      from (select distinct on (id) * from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb)
              as m(id bigint, paid boolean, "errorType" text, used jsonb) order by id, paid desc) n
     where c.store_id = ${shop.storeId} and c.id = n.id`)
}

function errorTypeOf(code: string): string {
  const kind = errorKindOf(code)
  if (kind === 'Inventory') return 'INVENTORY_ERROR'
  if (code.startsWith('CUSTOMER_')) return 'CUSTOMER_ERROR'
  return kind === 'Payment' ? 'PAYMENT_ERROR' : 'OTHER'
}

const TOPIC = { succeeded: 'success', failed: 'failure', challenged: 'challenged' } as const

function messagesOf(shop: Shop, found: Case, result: AttemptResult, placed: PlacedOrder | undefined): Message[] {
  // Outcome `lost`: no webhook is sent, and the result is visible only by reading the attempt.
  if (found.attempt.outcome === 'lost' || result.status === 'pending') return []
  const attempt: Attempt = { ...found.attempt, ...result, id: found.attempt.id }
  return webhookMessage(
    [
      ...(placed ? orderMessages(shop, placed) : []),
      { topic: `subscription_billing_attempts/${TOPIC[result.status]}`, payload: attemptPayload(shop, attempt) }
    ],
    found.attempt.outcome === 'duplicate' ? 2 : 1
  )
}
