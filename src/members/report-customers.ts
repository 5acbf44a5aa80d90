import { record } from '#kit/outbox'
import { type Ctx, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { ACCOUNT_STATES, CONSENT_STATES, type Consent, type ConsentChannel, findErased } from '#platform'
import { keepTags } from './customer-tags/keep-tags.ts'
import { accountEnabled } from './events/account-enabled.ts'
import { tagsAdded } from './events/tags-added.ts'
import { updateCustomers } from './update-customers.ts'
import { newestOfEach } from './upsert-customers.ts'

/** Those among the platform's numbers of customers that have no row here; whoever was erased is none of them. */
export async function findUnknownCustomers(ctx: Ctx, platformIds: string[]): Promise<string[]> {
  const asked = [...new Set(platformIds)]
  const rows = await ctx.tx.many(
    row({ platformCustomerId: text }),
    sql`
    select platform_customer_id from members
     where store_id = ${ctx.storeId} and platform_customer_id = any(${asked}::text[])`
  )
  const known = new Set(rows.map(({ platformCustomerId }) => platformCustomerId))
  const unknown = asked.filter((id) => !known.has(id))
  const erased = await findErased(
    ctx,
    unknown.map((id) => `customer:${id}` as const)
  )
  return unknown.filter((id) => !erased.has(`customer:${id}`))
}

/**
 * Keeps what the platform reports of consents, and records those that have changed. What is older than what is kept changes nothing. Unknown
 * customers are left out, and those who were deleted or merged, whose messages come late.
 */
export async function recordConsents(
  ctx: Ctx,
  reports: { customerId: string; channel: ConsentChannel; consent: Consent }[]
): Promise<void> {
  const present = await findPresentCustomers(
    ctx,
    reports.map(({ customerId }) => customerId)
  )
  const updates = reports
    .filter(({ customerId }) => present.has(customerId))
    .map(({ customerId, channel, consent }) => ({
      id: customerId,
      email: null,
      firstName: null,
      lastName: null,
      [channel === 'email' ? 'emailConsent' : 'smsConsent']: consent
    }))
  if (updates.length > 0) await updateCustomers(ctx, newestOfEach(updates))
}

/**
 * Records that accounts were enabled, as messages say: of those that are enabled as far as is known, and of which that is not recorded
 * yet. What else the platform sent at the same time may have come before, and have said only how the account is.
 */
export async function recordEnabledAccounts(
  ctx: Ctx,
  reports: { customerId: string; at: Temporal.Instant }[]
): Promise<void> {
  const latest = [...new Map(reports.map((report) => [report.customerId, report])).values()]
  if (latest.length === 0) return
  const enabled = await ctx.tx.many(
    row({ id: int, at: instant }),
    sql`
    update members m set account_enabled_at = e.at
      from unnest(${latest.map(({ customerId }) => customerId)}::text[], ${latest.map(({ at }) => at)}::timestamptz[])
             as e(platform_id, at)
     where m.store_id = ${ctx.storeId} and m.platform_customer_id = e.platform_id
       and m.account_state = 'enabled' and m.account_enabled_at is null and m.merged_into is null
    returning m.id, m.account_enabled_at as at`
  )
  await record(ctx, ...enabled.map(accountEnabled))
}

/** Keeps the tags that customers have on the platform, or have no more. Safe to repeat. Unknown customers are left out. */
export async function recordTags(
  ctx: Ctx,
  reports: { customerId: string; tags: string[]; isPresent: boolean; at: Temporal.Instant }[]
): Promise<void> {
  const present = await findPresentCustomers(
    ctx,
    reports.map(({ customerId }) => customerId)
  )
  await keepTags(
    ctx,
    reports.flatMap(({ customerId, ...report }) => {
      const memberId = present.get(customerId)
      return memberId === undefined ? [] : [{ memberId, ...report }]
    })
  )
}

/** Records tags that were added to customers on the platform. Not safe to repeat: give what was not recorded yet. */
export async function recordAddedTags(
  ctx: Ctx,
  reports: { customerId: string; tags: string[]; at: Temporal.Instant }[]
): Promise<void> {
  const present = await findPresentCustomers(
    ctx,
    reports.map(({ customerId }) => customerId)
  )
  const added = reports.flatMap(({ customerId, tags, at }) => {
    const id = present.get(customerId)
    return id === undefined || tags.length === 0 ? [] : [tagsAdded({ id }, { tags, at })]
  })
  await record(ctx, ...added)
}

/** Our numbers of customers, by those of the platform; without those that the platform has deleted or merged. */
async function findPresentCustomers(ctx: Ctx, platformIds: string[]): Promise<Map<string, number>> {
  if (platformIds.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ id: int, platformCustomerId: text }),
    sql`
    select id, platform_customer_id from members
     where store_id = ${ctx.storeId} and platform_customer_id = any(${platformIds}::text[])
       and platform_deleted_at is null and merged_into is null`
  )
  return new Map(rows.map(({ id, platformCustomerId }) => [platformCustomerId, id]))
}

/** What the platform says of customers, by our number. */
export function listAccounts(ctx: Ctx, memberIds: number[]): Promise<CustomerAccount[]> {
  return ctx.tx.many(
    CustomerAccount,
    sql`
    select id as member_id, account_state, email_consent, email_consent_at, sms_consent, sms_consent_at
      from members where store_id = ${ctx.storeId} and id = any(${memberIds}::bigint[])`
  )
}

const CustomerAccount = row({
  memberId: int,
  accountState: nullable(oneOf(...ACCOUNT_STATES)),
  emailConsent: nullable(oneOf(...CONSENT_STATES)),
  emailConsentAt: nullable(instant),
  smsConsent: nullable(oneOf(...CONSENT_STATES)),
  smsConsentAt: nullable(instant)
})
/** The account and the consents of a customer; null is not reported yet. The times are the platform's, null where it has none. */
export type CustomerAccount = RowOf<typeof CustomerAccount>
