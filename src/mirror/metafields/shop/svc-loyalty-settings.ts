import { amountNumber, flag, meaning, objectOf, word } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** Whether loyalty is on (spec 3, svc_loyalty_settings). */
export const loyaltySettings = defineMetafield({
  owner: 'shop',
  key: 'svc_loyalty_settings',
  type: 'json',
  name: 'Loyalty',
  help: 'Whether customers earn points, and how many for each unit of money.',
  field: objectOf({
    loyalty_enabled: meaning('Points are earned and redeemed', flag()),
    tiers_enabled: meaning('There are tiers', flag()),
    ratio_points: meaning(
      'Points for each unit of the currency that is spent; 0 without a rule for purchases',
      amountNumber()
    ),
    reward_type: meaning('What is earned', word('points'))
  })
})
