import { type Ctx, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import type { Finding } from './run-rules.ts'

/**
 * A charge that the platform made, which has an order there: of which contract and billing period, by which of its attempts, under
 * which key.
 */
export type PlatformCharge = {
  contractId: string
  attemptId: string
  idempotencyKey: string
  orderId: string
  amountMinor: number
  /** The date of the billing period that it paid; null where the platform does not know it. */
  periodAt: Temporal.Instant | null
  /** Wholly refunded or cancelled. */
  isUndone: boolean
}

/** The one rule that needs more than our tables: what the platform itself lists as charged. */
export const platformChargesAgree = {
  name: 'platform_charges_agree',
  severity: 'finding',
  help:
    'Sandbox stores only: the platform made a charge that we do not know as paid, or the other way round; or a period of a ' +
    'contract was charged more than once. Refund what is too much.'
} as const

/**
 * Every renewal that the platform charged is a successful attempt of ours, and the other way round; and no period of a contract has
 * two that are not refunded. It is the same payment whoever requested it: one that the shop's staff charged has a key that is not
 * ours. An attempt that is pending here may be charged there already.
 */
export async function compareCharges(ctx: Ctx, theirs: PlatformCharge[]): Promise<Finding[]> {
  const ours = await listCharges(ctx)
  const byAttempt = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [] : [[c.platformAttemptId, c]])))
  const byKey = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [[c.idempotencyKey, c]] : [])))
  const matched = new Set<(typeof ours)[number]>()
  const findings: Finding[] = []
  const add = (subject: string, message: string) =>
    findings.push({ check: platformChargesAgree.name, subject, message })
  for (const charge of theirs) {
    const subject = `contract ${charge.contractId}`
    const known = byAttempt.get(charge.attemptId) ?? byKey.get(charge.idempotencyKey)
    if (known) matched.add(known)
    else if (!charge.isUndone)
      add(subject, `was charged under ${charge.idempotencyKey}, which we do not have as a success`)
    if (known && known.amountMinor !== charge.amountMinor) {
      add(subject, `was charged ${charge.amountMinor}, we have ${known.amountMinor} (minor units)`)
    }
  }
  for (const { contractId, periodAt, orderIds } of chargedAgain(theirs)) {
    add(
      `contract ${contractId}`,
      `was charged ${orderIds.length} times for the period of ${periodAt}: orders ${orderIds.join(', ')}`
    )
  }
  for (const charge of ours) {
    if (charge.status === 'pending' || matched.has(charge)) continue
    add(charge.idempotencyKey, 'is a success here, and the platform has no charge for it')
  }
  return findings
}

/** The periods that more than one charge has paid, as the platform's orders have it, with those orders. */
function chargedAgain(charges: PlatformCharge[]): { contractId: string; periodAt: string; orderIds: string[] }[] {
  const ofPeriod = Map.groupBy(
    charges.filter(({ periodAt, isUndone }) => periodAt !== null && !isUndone),
    ({ contractId, periodAt }) => `${contractId} ${periodAt}`
  )
  return [...ofPeriod.entries()]
    .filter(([, paid]) => paid.length > 1)
    .map(([period, paid]) => {
      const [contractId, periodAt] = period.split(' ') as [string, string]
      return { contractId, periodAt, orderIds: paid.map(({ orderId }) => orderId) }
    })
}

/** Our renewals that succeeded, and those whose outcome is not known yet. */
function listCharges(ctx: Ctx) {
  return ctx.tx.many(
    row({
      idempotencyKey: text,
      platformAttemptId: nullable(text),
      amountMinor: int,
      status: oneOf('success', 'pending')
    }),
    sql`
    select idempotency_key, platform_attempt_id, amount_minor, status from billing_attempts
     where store_id = ${ctx.storeId} and status in ('success', 'pending') order by id`
  )
}
