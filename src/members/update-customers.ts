import { record } from '#kit/outbox'
import { bool, type Ctx, instant, nullable, oneOf, type RowOf, row, sql } from '#kit/postgres'
import { CONSENT_STATES } from '#platform'
import { storeContext } from '#stores'
import { type CustomerUpdate, type KnownCustomer, knownCustomerColumns } from './customer.ts'
import { keepReadTags } from './customer-tags/keep-tags.ts'
import { accountEnabled } from './events/account-enabled.ts'
import { consentChanged } from './events/consent-changed.ts'
import { customerChanged } from './events/customer-changed.ts'
import { memberUpdated } from './events/member-updated.ts'
import { changesBetween, type ProfileChanges } from './profile.ts'
import { listMemberSnapshots, lockCustomers } from './queries.ts'

/** A row as it is now, and what of it was otherwise before. */
const Updated = row({
  ...knownCustomerColumns,
  emailConsent: nullable(oneOf(...CONSENT_STATES)),
  emailConsentAt: nullable(instant),
  emailConsentBefore: nullable(oneOf(...CONSENT_STATES)),
  smsConsent: nullable(oneOf(...CONSENT_STATES)),
  smsConsentAt: nullable(instant),
  smsConsentBefore: nullable(oneOf(...CONSENT_STATES)),
  accountEnabledAt: nullable(instant),
  isAccountEnabled: bool
})
type Updated = RowOf<typeof Updated>

/**
 * Updates known customers to what the platform reports, one update for each, and returns them all as they are then. Unknown ones are left
 * out. What is older than what is stored changes nothing; names and addresses, the account, each consent and each tag have times of their own. What
 * has changed is recorded.
 */
export async function updateCustomers(ctx: Ctx, updates: CustomerUpdate[]): Promise<Map<string, KnownCustomer>> {
  const before = await lockCustomers(
    ctx,
    updates.map(({ id }) => id)
  )
  const after = await writeUpdates(ctx, updates)
  const old = new Map(before.map((customer) => [customer.id, customer]))
  const changes = new Map(
    after.flatMap((customer) => {
      const changed = changesBetween(old.get(customer.id)!, customer)
      return changed ? [[customer.id, changed] as const] : []
    })
  )
  await recordProfiles(ctx, after, changes)
  const past = new Set(updates.filter(({ isPast }) => isPast).map(({ id }) => id))
  await record(
    ctx,
    ...after.flatMap((customer) => [
      ...(customer.isAccountEnabled ? [accountEnabled({ id: customer.id, at: customer.accountEnabledAt! })] : []),
      ...consentsOf(customer)
        .filter((consent) => isChange(consent, past.has(customer.platformCustomerId)))
        .map(({ channel, state, at }) => consentChanged(customer, { channel, state: state!, at }))
    ])
  )
  const idOf = new Map(before.map(({ platformCustomerId, id }) => [platformCustomerId, id]))
  await keepReadTags(
    ctx,
    updates.flatMap(({ id, tags = null, updatedAt = null }) => {
      const memberId = idOf.get(id)
      return memberId === undefined || tags === null || updatedAt === null ? [] : [{ memberId, tags, at: updatedAt }]
    })
  )
  return new Map([...before, ...after].map((customer) => [customer.platformCustomerId, customer]))
}

const consentsOf = (customer: Updated) => [
  {
    channel: 'email' as const,
    before: customer.emailConsentBefore,
    state: customer.emailConsent,
    at: customer.emailConsentAt
  },
  { channel: 'sms' as const, before: customer.smsConsentBefore, state: customer.smsConsent, at: customer.smsConsentAt }
]

/** Where nothing was known, nobody has refused anything yet, and what the platform had already is not new. */
function isChange({ before, state }: ReturnType<typeof consentsOf>[number], isPast: boolean): boolean {
  return state !== before && (before !== null || (state !== 'not_subscribed' && !isPast))
}

/**
 * Writes newer values, and returns the rows that it changed. A value that the source does not have (null) leaves ours, and so
 * does a field that waits to be pushed, because the platform's value is then older. The rows must be locked.
 */
function writeUpdates(ctx: Ctx, customers: CustomerUpdate[]): Promise<Updated[]> {
  return ctx.tx.many(
    Updated,
    sql`
    with newer as (
      select k.id, c.*,
             k.platform_updated_at is null or c.updated_at is null or c.updated_at >= k.platform_updated_at as is_profile,
             c.account is not null
               and (k.account_state_at is null or c.updated_at is null or c.updated_at >= k.account_state_at) as is_account,
             c.email_consent is not null
               and (k.email_consent_at is null or c.email_consent_at >= k.email_consent_at) as is_email_consent,
             c.sms_consent is not null
               and (k.sms_consent_at is null or c.sms_consent_at >= k.sms_consent_at) as is_sms_consent
        from unnest(${customers.map((c) => c.id)}::text[], ${customers.map((c) => c.email)}::text[],
                    ${customers.map((c) => c.firstName)}::text[], ${customers.map((c) => c.lastName)}::text[],
                    ${customers.map((c) => c.countryCode ?? null)}::text[],
                    ${customers.map((c) => c.provinceCode ?? null)}::text[],
                    ${customers.map((c) => c.updatedAt ?? null)}::timestamptz[],
                    ${customers.map((c) => c.accountState ?? null)}::text[],
                    ${customers.map((c) => c.emailConsent?.state ?? null)}::text[],
                    ${customers.map((c) => c.emailConsent?.at ?? null)}::timestamptz[],
                    ${customers.map((c) => c.smsConsent?.state ?? null)}::text[],
                    ${customers.map((c) => c.smsConsent?.at ?? null)}::timestamptz[])
               as c(platform_id, email, first_name, last_name, country, province, updated_at, account, email_consent,
                    email_consent_at, sms_consent, sms_consent_at)
        join members k on k.store_id = ${ctx.storeId} and k.platform_customer_id = c.platform_id),
    updates as (
      select n.id,
             case when not n.is_profile or 'email' = any(k.profile_pending) then k.email
                  else coalesce(n.email, k.email) end as email,
             case when not n.is_profile or 'first_name' = any(k.profile_pending) then k.first_name
                  else coalesce(n.first_name, k.first_name) end as first_name,
             case when not n.is_profile or 'last_name' = any(k.profile_pending) then k.last_name
                  else coalesce(n.last_name, k.last_name) end as last_name,
             case when n.is_profile then coalesce(n.country, k.country_code) else k.country_code end as country,
             case when n.is_profile then coalesce(n.province, k.province_code) else k.province_code end as province,
             case when n.is_profile then coalesce(n.updated_at, k.platform_updated_at)
                  else k.platform_updated_at end as platform_at,
             case when n.is_account then n.account else k.account_state end as account,
             case when n.is_account then coalesce(n.updated_at, k.account_state_at) else k.account_state_at end as account_at,
             n.is_account and n.account = 'enabled' and k.account_state <> 'enabled' as is_enabled,
             case when n.is_email_consent then n.email_consent else k.email_consent end as email_consent,
             case when n.is_email_consent then n.email_consent_at else k.email_consent_at end as email_consent_at,
             case when n.is_sms_consent then n.sms_consent else k.sms_consent end as sms_consent,
             case when n.is_sms_consent then n.sms_consent_at else k.sms_consent_at end as sms_consent_at
        from newer n join members k on k.store_id = ${ctx.storeId} and k.id = n.id),
    changed as (
      select n.*, m.email_consent as email_consent_before, m.sms_consent as sms_consent_before,
             (m.email, m.first_name, m.last_name, m.country_code, m.province_code)
             is distinct from (n.email, n.first_name, n.last_name, n.country, n.province) as is_changed,
             (m.platform_updated_at, m.account_state, m.account_state_at, m.email_consent, m.email_consent_at,
              m.sms_consent, m.sms_consent_at)
             is distinct from (n.platform_at, n.account, n.account_at, n.email_consent, n.email_consent_at,
                               n.sms_consent, n.sms_consent_at) as is_newer
        from updates n join members m on m.store_id = ${ctx.storeId} and m.id = n.id)
    update members m
       set email = c.email, first_name = c.first_name, last_name = c.last_name, country_code = c.country,
           province_code = c.province, platform_updated_at = c.platform_at,
           account_state = c.account, account_state_at = c.account_at,
           account_enabled_at = case when c.is_enabled then coalesce(c.account_at, ${ctx.now}::timestamptz)
                                     when c.account = 'enabled' then m.account_enabled_at end,
           email_consent = c.email_consent, email_consent_at = c.email_consent_at,
           sms_consent = c.sms_consent, sms_consent_at = c.sms_consent_at,
           updated_at = case when c.is_changed then ${ctx.now}::timestamptz else m.updated_at end
      from changed c
     where m.store_id = ${ctx.storeId} and m.id = c.id and (c.is_changed or c.is_newer)
    returning m.id, m.platform_customer_id, m.email, m.first_name, m.last_name, m.status, m.member_since,
              m.email_consent, m.email_consent_at, c.email_consent_before, m.sms_consent, m.sms_consent_at,
              c.sms_consent_before, m.account_enabled_at, coalesce(c.is_enabled, false) as is_account_enabled`
  )
}

async function recordProfiles(ctx: Ctx, after: KnownCustomer[], changes: Map<number, ProfileChanges>): Promise<void> {
  const changed = after.filter(({ id }) => changes.has(id))
  const members = changed.filter(({ status }) => status !== null).map(({ id }) => id)
  if (members.length > 0) {
    const store = await storeContext(ctx)
    const snapshots = await listMemberSnapshots(ctx, members)
    await record(ctx, ...snapshots.map((member) => memberUpdated(member, changes.get(member.id)!, store)))
  }
  const others = changed.filter(({ status }) => status === null)
  if (others.length > 0) await record(ctx, ...others.map(customerChanged))
}
