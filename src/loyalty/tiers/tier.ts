import { type Money, moneyOf, readStored } from '#kit/json-fields'
import { bool, instant, int, json, type RowOf, row, text } from '#kit/postgres'
import { type EntryRules, entryRulesField, type TierRewards, tierRewardsField } from './tier-fields.ts'

export const TierRow = row({
  id: int,
  name: text,
  description: text,
  isActive: bool,
  entryRules: json<unknown>(),
  rewardRules: json<unknown>(),
  multiplierHundredths: int,
  place: int,
  tag: text,
  createdAt: instant,
  updatedAt: instant
})

/** A tier of loyalty. `multiplierHundredths`: 150 multiplies points by 1.5. `tag`: '' for none. */
export type LoyaltyTier = Omit<RowOf<typeof TierRow>, 'entryRules' | 'rewardRules'> & {
  entryRules: EntryRules
  rewards: TierRewards
  money: Money
}

export function tierOfRow({ entryRules, rewardRules, ...rest }: RowOf<typeof TierRow>, currency: string): LoyaltyTier {
  const money = moneyOf(currency)
  return {
    ...rest,
    entryRules: readStored(entryRulesField(money), entryRules, `entry_rules of ${rest.id}`),
    rewards: readStored(tierRewardsField(), rewardRules, `reward_rules of ${rest.id}`),
    money
  }
}

/** `entry_rules` as JSON. */
export const entryRulesJson = ({ entryRules, money }: Pick<LoyaltyTier, 'entryRules' | 'money'>) =>
  entryRulesField(money).write(entryRules) as Record<string, unknown>

/** `reward_rules` as JSON. */
export const tierRewardsJson = ({ rewards }: Pick<LoyaltyTier, 'rewards'>) =>
  tierRewardsField().write(rewards) as Record<string, unknown>

export const hasEntryRules = ({ entryRules }: Pick<LoyaltyTier, 'entryRules'>): boolean =>
  Object.values(entryRules).some((value) => value !== null)
