import { amountOf } from '#kit/money'
import { type Ctx, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import type { PlatformCharge, WithheldCharge } from '#platform'
import type { Finding } from './run-rules.ts'

/** The one rule that needs more than our tables: what the platform itself lists as charged. */
export const platformChargesAgree = {
  name: 'platform_charges_agree',
  severity: 'finding',
  help:
    'The platform has an order of a charge that we do not know as paid, or the other way round; or it has several orders for one ' +
    'period of a contract: someone was charged twice. Refund what is too much. Of a store that is no sandbox the charges of the last ' +
    '60 days are read, the newest first, as far as that takes 20 seconds, 40 calls and half of the cost budget; `not_checked` says ' +
    'what was not read, what may not be read by us, and of how many the amount is in another currency than ours.'
} as const

type Compared = {
  withheld?: WithheldCharge[]
  /** Ours that were sent between these times should be among theirs; all, where they are left out. */
  after?: Temporal.Instant
  until?: Temporal.Instant
  /** At most so many are returned as missing. */
  limit?: number
}

/**
 * Every renewal that the platform charged is a successful attempt of ours, and the other way round; and no period of a contract has
 * two that are not refunded. It is the same payment whoever requested it: one that the shop's staff charged has a key that is not
 * ours. An attempt that is pending here may be charged there already: its amount is what was requested until it is settled.
 * `theirs` are all charges, or those of a time; what is a success of that time here and is neither among them nor withheld is
 * `missing`, and `moreMissing` counts what is above the limit. Of ours no more is read than that: a store has millions.
 * `notChecked` says in words what of the listed charges could not be compared.
 */
export async function compareCharges(
  ctx: Ctx,
  theirs: PlatformCharge[],
  { withheld = [], after, until, limit = MAX_MISSING }: Compared = {}
): Promise<{ findings: Finding[]; missing: OurCharge[]; moreMissing: number; notChecked: string[] }> {
  const ours = await findCharges(ctx, [...theirs, ...withheld])
  const byAttempt = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [] : [[c.platformAttemptId, c]])))
  // A second payment under one key has another id.
  const byKey = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [[c.idempotencyKey, c]] : [])))
  const knownOf = (charge: WithheldCharge) => byAttempt.get(charge.attemptId) ?? byKey.get(charge.idempotencyKey)
  const matched = new Set([...theirs, ...withheld].flatMap((charge) => knownOf(charge)?.id ?? []))
  const findings: Finding[] = []
  const add = (contractId: string, message: string) =>
    findings.push({ check: platformChargesAgree.name, subject: `contract ${contractId}`, message })
  let [otherCurrencies, notTakenOver] = [0, 0]
  for (const charge of theirs) {
    const known = knownOf(charge)
    if (!known && !charge.isUndone) {
      if (ctx.isRestored) notTakenOver++
      else add(charge.contractId, `was charged under ${charge.idempotencyKey}, which we do not have as a success`)
    }
    if (known?.status !== 'success') continue
    if (known.currency !== charge.currency) otherCurrencies++
    else if (known.amountMinor !== charge.amountMinor) {
      add(
        charge.contractId,
        `was charged ${amountOf(charge.amountMinor, charge.currency)}, we have ${amountOf(known.amountMinor, known.currency)}`
      )
    }
  }
  const paid = theirs
    .filter(({ isUndone }) => !isUndone)
    .map((charge) => ({ ...charge, periodAt: periodOf(charge, knownOf(charge)) }))
  for (const { contractId, periodAt, orderIds } of chargedAgain(paid)) {
    add(contractId, `was charged ${orderIds.length} times for the period of ${periodAt}: orders ${orderIds.join(', ')}`)
  }
  const missing = await listMissing(ctx, [...matched], { after, until, limit })
  const notChecked = [
    countOf(
      notTakenOver,
      'charges on the platform are not known here yet: the store was restored from a backup, and is on hold until they are taken over'
    ),
    countOf(
      otherCurrencies,
      'charges on the platform are in another currency than ours: their amounts were not compared'
    ),
    countOf(
      paid.filter(({ periodAt }) => periodAt === null).length,
      'charges on the platform have no time of a billing period that we may read: whether their periods were charged twice is not known'
    )
  ].filter((text) => text !== null)
  return { findings, missing, moreMissing: (missing[0]?.total ?? 0) - missing.length, notChecked }
}

/** `3 charges …`; null for none. */
export const countOf = (count: number, what: string): string | null => (count === 0 ? null : `${count} ${what}`)

/**
 * The date of the period that a charge has paid: what the platform has, or else ours. Whoever charged it under another key than
 * ours may have given it any time of the period.
 */
function periodOf({ periodAt, idempotencyKey }: PlatformCharge, known?: OurCharge): Temporal.Instant | null {
  const at = known && (periodAt === null || known.idempotencyKey !== idempotencyKey) ? known.cycleAt : periodAt
  // The platform has whole seconds, which is what we send.
  return at?.round({ smallestUnit: 'second', roundingMode: 'floor' }) ?? null
}

/** A success that the platform does not have. */
export const notCharged = ({ idempotencyKey }: OurCharge): Finding => ({
  check: platformChargesAgree.name,
  subject: idempotencyKey,
  message: 'is a success here, and the platform has no charge for it'
})

/** The periods that more than one charge has paid, as the platform's orders have it, with those orders. */
function chargedAgain(paid: PlatformCharge[]): { contractId: string; periodAt: string; orderIds: string[] }[] {
  const ofPeriod = Map.groupBy(
    paid.filter(({ periodAt }) => periodAt !== null),
    ({ contractId, periodAt }) => `${contractId} ${periodAt}`
  )
  return [...ofPeriod.entries()]
    .filter(([, charges]) => charges.length > 1)
    .map(([period, charges]) => {
      const [contractId, periodAt] = period.split(' ') as [string, string]
      return { contractId, periodAt, orderIds: charges.map(({ orderId }) => orderId) }
    })
}

const ourCharge = {
  id: int,
  idempotencyKey: text,
  platformAttemptId: nullable(text),
  amountMinor: int,
  currency: text,
  status: oneOf('success', 'pending'),
  cycleAt: nullable(instant)
}
const OurCharge = row(ourCharge)
export type OurCharge = RowOf<typeof OurCharge>

/**
 * Our renewals that have these ids, or these keys and no id that is known: those that succeeded, and those whose outcome is not
 * known yet. No index has the platform's ids: they are found among the attempts of the contract.
 */
async function findCharges(ctx: Ctx, theirs: WithheldCharge[]): Promise<OurCharge[]> {
  if (theirs.length === 0) return []
  return ctx.tx.many(
    OurCharge,
    sql`
    with theirs as materialized (
      select *
        from unnest(${theirs.map((one) => one.attemptId)}::text[], ${theirs.map((one) => one.idempotencyKey)}::text[],
                    ${theirs.map((one) => one.contractId)}::text[]) as t(attempt, key, contract)
    )
    select a.id, a.idempotency_key, a.platform_attempt_id, a.amount_minor, a.currency, a.status, a.cycle_at
      from billing_attempts a
     where a.store_id = ${ctx.storeId} and a.status in ('success', 'pending')
       and a.id in (
         select k.id
           from theirs t
           join billing_attempts k on k.store_id = ${ctx.storeId} and k.idempotency_key = t.key
          where k.platform_attempt_id is null
         union
         select i.id
           from theirs t
           join subscriptions s on s.store_id = ${ctx.storeId} and s.platform_contract_id = t.contract
           join billing_attempts i on i.store_id = ${ctx.storeId} and i.subscription_id = s.id
          where i.platform_attempt_id = t.attempt)
     order by a.id`
  )
}

const MAX_MISSING = 100
/** One that waited longer to be sent is not looked for: the index of successes has the time at which they were due. */
const MAX_WAIT_HOURS = 24 * 60
const Missing = row({ ...ourCharge, total: int })

/** Our successes that were sent in a time and are not `matched`, oldest first, and in each row how many there are. */
function listMissing(
  ctx: Ctx,
  matched: number[],
  { after, until, limit }: Pick<Compared, 'after' | 'until'> & { limit: number }
): Promise<RowOf<typeof Missing>[]> {
  return ctx.tx.many(
    Missing,
    sql`
    select a.id, a.idempotency_key, a.platform_attempt_id, a.amount_minor, a.currency, a.status, a.cycle_at,
           count(*) over () as total
      from billing_attempts a
     where a.store_id = ${ctx.storeId} and a.status = 'success'
       and a.scheduled_at > coalesce(${after?.subtract({ hours: MAX_WAIT_HOURS }) ?? null}::timestamptz, '-infinity')
       and (${after ?? null}::timestamptz is null or a.submitted_at > ${after ?? null}::timestamptz)
       and (${until ?? null}::timestamptz is null or a.submitted_at <= ${until ?? null}::timestamptz)
       and not exists (select from unnest(${matched}::bigint[]) as m(id) where m.id = a.id)
     order by a.id limit ${limit}`
  )
}
