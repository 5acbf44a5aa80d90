import { moneyOf, readEntered } from '#kit/json-fields'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type FieldProblem, invalidFields } from '#kit/refusal'
import { storeContext } from '#stores'
import { loyaltyTierChanged } from '../events/loyalty-tier-changed.ts'
import { lockLoyalty } from '../lock-loyalty.ts'
import { assertFits } from '../metafield-limit.ts'
import { tooManyTiers } from '../refusals.ts'
import { entryRulesJson, hasEntryRules, type LoyaltyTier, tierRewardsJson } from './tier.ts'
import { entryRulesField, multiplierField, rewardProblem, tierRewardsField, tierTagField } from './tier-fields.ts'
import { getTier, insertTier, listTiers, type TierToWrite, writeTier } from './tier-queries.ts'
import { walkTiers } from './tier-stores.ts'
import { loyaltyTiersField, loyaltyTiersOf, MAX_TIERS } from './tiers-field.ts'

/** What an operator enters. What is `unknown` nobody has checked. `place` null: above all others. */
export type TierInput = {
  name: string
  description: string
  isActive: boolean
  entryRules: unknown
  rewardRules: unknown
  multiplier: unknown
  place: number | null
  tag: unknown
}

/** Creates a tier. Refuses what cannot be, with all problems. */
export async function createTier(ctx: Ctx, input: TierInput): Promise<LoyaltyTier> {
  await lockLoyalty(ctx)
  const before = await listTiers(ctx)
  if (before.length >= MAX_TIERS) throw tooManyTiers(MAX_TIERS)
  const id = await insertTier(ctx, await checked(ctx, input, before, input))
  return changed(ctx, id, before, input)
}

/** Changes what is given; the rest stays. `entryRules` and `rewardRules` are given whole. */
export async function updateTier(ctx: Ctx, id: number, change: Partial<TierInput>): Promise<LoyaltyTier> {
  await lockLoyalty(ctx)
  const before = await listTiers(ctx)
  const was = await getTier(ctx, id)
  const input = {
    ...was,
    entryRules: entryRulesJson(was),
    rewardRules: tierRewardsJson(was),
    multiplier: was.multiplierHundredths / 100,
    ...change
  }
  const others = before.filter((tier) => tier.id !== id)
  await writeTier(ctx, id, await checked(ctx, input, others, change))
  return changed(ctx, id, before, change)
}

async function changed(ctx: Ctx, id: number, before: LoyaltyTier[], given: Partial<TierInput>): Promise<LoyaltyTier> {
  const after = await listTiers(ctx)
  const isThis = (tier: LoyaltyTier) => tier.id === id
  const { name, description, entryRules, rewardRules, tag } = given
  assertFits(
    { key: 'svc_loyalty_tiers', field: loyaltyTiersField, what: 'tiers' },
    {
      before: loyaltyTiersOf(before),
      after: loyaltyTiersOf(after),
      given: { name, description, entry_rules: entryRules, reward_rules: rewardRules, tag }
    }
  )
  await record(ctx, loyaltyTierChanged({ id }))
  if (placesOthers(before.find(isThis), after.find(isThis)!)) await walkTiers(ctx)
  return after.find(isThis)!
}

/** Whether customers may belong into other tiers after a change; `was` is undefined for a new tier. */
const placesOthers = (was: LoyaltyTier | undefined, is: LoyaltyTier): boolean =>
  was?.isActive !== is.isActive ||
  was.place !== is.place ||
  JSON.stringify(was.entryRules) !== JSON.stringify(is.entryRules)

/** A tier as it is written beside the others. Refuses with all problems. */
async function checked(
  ctx: Ctx,
  input: TierInput,
  others: LoyaltyTier[],
  given: Partial<TierInput>
): Promise<TierToWrite> {
  const money = moneyOf((await storeContext(ctx)).currency)
  const problems: FieldProblem[] = []
  const problem = (field: string, message: string) => problems.push({ field, code: 'invalid', message })
  const entryRules = readEntered(entryRulesField(money), input.entryRules, 'entry_rules', problems)
  const rewards = readEntered(tierRewardsField(), input.rewardRules, 'reward_rules', problems)
  const notGiven = given.rewardRules === undefined ? null : rewardProblem(rewards)
  if (notGiven) problem(notGiven.field, notGiven.message)
  const multiplier = readEntered(multiplierField(), input.multiplier, 'multiplier_points', problems)
  const tag = String(readEntered(tierTagField(), input.tag, 'tag', problems) ?? '').trim()
  const place = input.place ?? Math.max(-1, ...others.map((tier) => tier.place)) + 1
  const inTheWay = (isSame: (tier: LoyaltyTier) => boolean) => others.find(isSame)
  const sameName = inTheWay(({ name }) => isSameText(name, input.name))
  if (sameName) problem('name', `must be another than that of the other tiers: ${sameName.id} has it`)
  const samePlace = inTheWay((tier) => tier.place === place)
  if (samePlace) problem('order', `must be another than that of the other tiers: ${samePlace.id} has ${place}`)
  else if (place > 1000) problem('order', 'must be given: 1000 is taken, and there is none above it')
  const sameTag = tag === '' ? undefined : inTheWay((tier) => isSameText(tier.tag, tag))
  if (sameTag) problem('tag', `must be another than that of the other tiers: ${sameTag.id} has it`)
  if (problems.length > 0) throw invalidFields(problems)

  const { name, description, isActive } = input
  refuseOpenTier([...others, { id: null, name, isActive, place, entryRules }])
  return {
    name,
    description,
    isActive,
    entryRules: entryRulesJson({ entryRules, money }),
    rewardRules: tierRewardsJson({ rewards }),
    multiplierHundredths: Math.round(multiplier * 100),
    place,
    tag
  }
}

/** As the database and the platform compare names and tags. */
const isSameText = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** Of the active tiers only the lowest may be open to everybody: above it nobody would be left below. `id` null: the one that is changed. */
function refuseOpenTier(
  all: (Pick<LoyaltyTier, 'name' | 'isActive' | 'place' | 'entryRules'> & { id: number | null })[]
): void {
  const [, ...above] = all.filter(({ isActive }) => isActive).toSorted((a, b) => a.place - b.place)
  const open = above.find((tier) => !hasEntryRules(tier))
  if (!open) return
  const needs = 'at least one of points_earned, min_spend and min_orders'
  throw invalidFields([
    open.id === null
      ? {
          field: 'entry_rules',
          code: 'invalid',
          message: `must hold ${needs}: only the lowest tier is open to everybody`
        }
      : {
          field: 'order',
          code: 'invalid',
          message: `must be above that of tier ${open.id}, which has no entry rules and so has to be the lowest`
        }
  ])
}
