import {
  amountNumber,
  anyObject,
  flag,
  integer,
  listOf,
  meaning,
  objectOf,
  textOf,
  type ValueOf
} from '#kit/json-fields'
import { entryRulesJson, type LoyaltyTier, tierRewardsJson } from './tier.ts'
import { tierTagField } from './tier-fields.ts'

/** As many as the metafield of the shop lists. */
export const MAX_TIERS = 100

/** The tiers as the metafield of the shop has them (spec 3, svc_loyalty_tiers). */
export const loyaltyTiersField = listOf(
  objectOf({
    id: meaning('Its id', integer(1, Number.MAX_SAFE_INTEGER)),
    name: meaning('Name of the tier', textOf(255, 1)),
    description: meaning('What it offers', textOf(1000)),
    is_active: meaning('Whether customers enter it', flag()),
    entry_rules: meaning('Least spending, points or orders', anyObject()),
    reward_rules: meaning('What it gives', anyObject()),
    multiplier_points: meaning('Points are multiplied by this', amountNumber()),
    order: meaning('Its place among the tiers', integer(0, 1000)),
    tag: meaning('Tag of the customers of the tier', tierTagField())
  }),
  MAX_TIERS
)

/** What the metafield of the shop says of the tiers. */
export const loyaltyTiersOf = (tiers: LoyaltyTier[]): ValueOf<typeof loyaltyTiersField> =>
  tiers.map((tier) => ({
    id: tier.id,
    name: tier.name,
    description: tier.description,
    is_active: tier.isActive,
    entry_rules: entryRulesJson(tier),
    reward_rules: tierRewardsJson(tier),
    multiplier_points: tier.multiplierHundredths / 100,
    order: tier.place,
    tag: tier.tag
  }))
