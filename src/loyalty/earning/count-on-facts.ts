import { consumer, type StoredFact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { followMerges, lockMembers } from '#members'
import { storeContext } from '#stores'
import { readAfterProducts, readCollectionsAgain } from '../collections/collection-queries.ts'
import { nameCollections } from '../collections/name-collections.ts'
import { placeCustomers } from '../customer-tiers/place-customers.ts'
import { askForReferrals, beginReferrals } from '../referral-codes/program-queries.ts'
import { listRules } from '../rules/rule-queries.ts'
import { countAccounts } from './account-job.ts'
import { countDeeds } from './count-deeds.ts'
import type { Deed } from './deed.ts'
import { beginOccasions, recheckOccasions } from './occasion-engine.ts'
import { isBirthday, listRewardedBirthdays } from './occasion-queries.ts'

/** Facts of customers that rules may count. */
const OF_CUSTOMERS = [
  'customer.account_enabled',
  'customer.consent_changed',
  'customer.tags_added',
  'customer.birth_date_changed'
] as const

/** Facts after which a customer may belong into another tier, besides those of orders. */
const OF_TIERS = ['customer.created', 'member.points_changed'] as const

const PLACES = new Set<string>(OF_TIERS)

const MAY_HAVE_OCCASION = new Set<string>(['customer.birth_date_changed', 'member.created', 'member.updated'])

/** What customers did is counted once for each cause, so facts may come twice. */
export const loyaltyConsumer = consumer(
  'loyalty',
  [...OF_CUSTOMERS, ...OF_TIERS, 'loyalty_rule.changed', 'catalog_item.changed'],
  countFacts,
  { from: 'now' }
)

async function countFacts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  const changed = new Set(
    facts.flatMap(({ name, data }) => (name === 'loyalty_rule.changed' ? (JSON.parse(data) as { id: number }).id : []))
  )
  if (changed.size > 0) await followRules(ctx, changed)
  await followCatalog(ctx, facts)
  if (facts.some(({ name }) => MAY_HAVE_OCCASION.has(name))) await recheckOccasions(ctx)
  const deeds = facts.flatMap(deedsOf)
  deeds.push(...(await birthdaysOf(ctx, facts)))
  const toPlace = facts.flatMap(({ name, refs }) => (PLACES.has(name) && refs.memberId ? refs.memberId : []))
  const kept = await followMerges(ctx, [...new Set([...deeds.map(({ memberId }) => memberId), ...toPlace])])
  // All at once, so that the order of the locks is one.
  await lockMembers(ctx, [...kept.values()])
  await countDeeds(
    ctx,
    deeds.map((deed) => ({ ...deed, memberId: kept.get(deed.memberId)! }))
  )
  await placeCustomers(
    ctx,
    toPlace.map((id) => kept.get(id)!)
  )
}

/** What rules that were created or changed ask for besides what happens from now on. */
async function followRules(ctx: Ctx, ids: ReadonlySet<number>): Promise<void> {
  // A node of before may have changed it.
  await nameCollections(ctx)
  const rules = (await listRules(ctx)).filter(({ id, isEnabled }) => isEnabled && ids.has(id))
  if (rules.some(({ type }) => type.counts.amounts.occasion)) await beginOccasions(ctx)
  if (rules.some(({ type }) => type.counts.amounts.referral)) await beginReferrals(ctx)
  else await askForReferrals(ctx)
  if (rules.some(({ type, rules: { retroactive } }) => type.counts.amounts.account && retroactive === true)) {
    await countAccounts(ctx)
  }
}

/** Collections are read again when they are changed, or products that they may have. */
async function followCatalog(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  const changes = facts.flatMap(({ name, data }) =>
    name === 'catalog_item.changed' ? (JSON.parse(data) as { kind: 'product' | 'collection'; platformId: string }) : []
  )
  const collectionIds = changes.flatMap(({ kind, platformId }) => (kind === 'collection' ? platformId : []))
  if (collectionIds.length > 0) await readCollectionsAgain(ctx, collectionIds)
  if (changes.some(({ kind }) => kind === 'product')) await readAfterProducts(ctx)
}

function deedsOf({ name, refs, data, occurredAt }: StoredFact): Deed[] {
  const { memberId } = refs
  if (memberId === undefined) return []
  const common = { memberId, orderId: null, ruleId: null }
  if (name === 'customer.account_enabled') {
    const { at } = JSON.parse(data) as { at: string }
    return [{ ...common, cause: { kind: 'account', isPast: false }, key: 'account', at: Temporal.Instant.from(at) }]
  }
  if (name === 'customer.consent_changed') {
    const { channel, state, at } = JSON.parse(data) as { channel: 'email' | 'sms'; state: string; at: string | null }
    if (state !== 'subscribed') return []
    const since = at === null ? occurredAt : Temporal.Instant.from(at)
    return [{ ...common, cause: { kind: 'consent', channel }, key: `consent:${channel}`, at: since }]
  }
  if (name !== 'customer.tags_added') return []
  const { tags, at } = JSON.parse(data) as { tags: string[]; at: string }
  return tags.map((tag) => ({
    ...{ ...common, cause: { kind: 'tag', tag }, at: Temporal.Instant.from(at) },
    key: `tag:${tag.toLowerCase()}`.slice(0, 250)
  }))
}

/** Who enters on the birthday itself that it is one has it too, once in a year. */
async function birthdaysOf(ctx: Ctx, facts: StoredFact[]): Promise<Deed[]> {
  const entered = facts.flatMap(({ name, refs, data }) => {
    if (name !== 'customer.birth_date_changed' || refs.memberId === undefined) return []
    const { birth_date: birthDate } = JSON.parse(data) as { birth_date: { to: string | null } }
    return birthDate.to === null ? [] : [{ memberId: refs.memberId, date: Temporal.PlainDate.from(birthDate.to) }]
  })
  if (entered.length === 0) return []
  const today = ctx.now.toZonedDateTimeISO((await storeContext(ctx)).timezone).toPlainDate()
  const now = entered.filter(({ date }) => isBirthday(date, today)).map(({ memberId }) => memberId)
  const rewarded = await listRewardedBirthdays(ctx, now)
  return now.flatMap((memberId): Deed[] => {
    if (rewarded.has(memberId)) return []
    const cause = { kind: 'occasion' as const, occasion: 'birthday' as const }
    return [{ memberId, cause, key: `birthday:${today.year}`, at: ctx.now, orderId: null, ruleId: null }]
  })
}
