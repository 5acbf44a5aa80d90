import {
  integer,
  type JsonField,
  type Money,
  meaning,
  objectOf,
  positiveDecimal,
  textLike,
  type ValueOf
} from '#kit/json-fields'

/** The value, or null where it is left out: then it is not written either. */
const ifGiven = <T>(of: JsonField<T>): JsonField<T | null> => ({
  ...of,
  write: (value) => (value === null ? undefined : of.write(value)),
  read: (given, found) => (given === null ? null : of.read(given, found)),
  otherwise: { value: null }
})

const percentage = () => positiveDecimal({ to: 100, decimals: 2 })

/** What a customer needs to be in a tier: all that is given. Money is in minor units. */
export const entryRulesField = (money: Money) =>
  objectOf({
    points_earned: meaning('Points that were earned', ifGiven(integer(1, 1_000_000_000))),
    min_spend: meaning('What was spent', ifGiven(money.amountAboveZero())),
    min_orders: meaning('How many orders were placed', ifGiven(integer(1, 1_000_000)))
  })

/** What a customer gets with a tier. */
export const tierRewardsField = () =>
  objectOf({
    points: meaning('Points on entering it', ifGiven(integer(1, 1_000_000_000))),
    discount: meaning('A percentage off an order, by a code on entering it', ifGiven(percentage())),
    shipping_discount: meaning(
      'Only 100: the shipping of an order is free, by a code on entering it. The platform has no code for a part of it',
      ifGiven(percentage())
    )
  })

/** What is wrong with rewards that are entered; null: nothing. A tier of before may have them. */
export const rewardProblem = ({
  shipping_discount: shipping
}: TierRewards): { field: string; message: string } | null =>
  (shipping ?? 100) === 100
    ? null
    : {
        field: 'reward_rules.shipping_discount',
        message: 'must be 100: the platform has no discount code that takes a part off shipping, only all of it'
      }

export type EntryRules = ValueOf<ReturnType<typeof entryRulesField>>
export type TierRewards = ValueOf<ReturnType<typeof tierRewardsField>>

/** By what points are multiplied. */
export const multiplierField = () => positiveDecimal({ to: 100, decimals: 2 })

/** Tags that begin with "SVC:" are those of memberships. */
export const tierTagField = () =>
  textLike('a tag without a comma of at most 255 characters that does not begin with "SVC:"', /^(?!\s*svc:)[^,]*$/i)
