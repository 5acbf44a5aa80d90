import { amountNumber, anyObject, flag, integer, listOf, meaning, objectOf, textLike, textOf } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** The tiers of loyalty (spec 3, svc_loyalty_tiers). */
export const loyaltyTiers = defineMetafield({
  owner: 'shop',
  key: 'svc_loyalty_tiers',
  type: 'json',
  name: 'Loyalty tiers',
  help: 'The tiers of loyalty, in their order.',
  field: listOf(
    objectOf({
      name: meaning('Name of the tier', textOf(255, 1)),
      description: meaning('What it offers', textOf(1000)),
      is_active: meaning('Whether customers enter it', flag()),
      entry_rules: meaning('Least spending or points', anyObject()),
      reward_rules: meaning('What it gives', anyObject()),
      multiplier_points: meaning('Points are multiplied by this', amountNumber()),
      order: meaning('Its place among the tiers', integer(0, 1000)),
      tag: meaning(
        'Tag of the customers of the tier',
        textLike('a tag without a comma that does not begin with "SVC:"', /^(?!\s*svc:)[^,]*$/i)
      )
    }),
    100
  )
})
