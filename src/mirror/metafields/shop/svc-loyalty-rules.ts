import { anyObject, flag, listOf, meaning, objectOf, textOf, word } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** For what points are earned (spec 3, svc_loyalty_rules). */
export const loyaltyRules = defineMetafield({
  owner: 'shop',
  key: 'svc_loyalty_rules',
  type: 'json',
  name: 'Loyalty rules',
  help: 'For what customers earn points and rewards.',
  field: listOf(
    objectOf({
      id: meaning('Its id', textOf(50, 1)),
      name: meaning('Its name', textOf(255, 1)),
      type: meaning('Its kind', word('earn_points', 'referral', 'birthday')),
      rule_type: meaning('The type of the Loyalty API', textOf(50, 1)),
      rules: meaning('When it applies', anyObject()),
      enabled: meaning('Whether it applies', flag()),
      reward_text: meaning('What it gives, in a sentence', textOf(1000))
    }),
    200
  )
})
