import { loyaltyRulesField } from '#loyalty'
import { defineMetafield } from '#platform'

/** For what points are earned (spec 3, svc_loyalty_rules). */
export const loyaltyRules = defineMetafield({
  owner: 'shop',
  key: 'svc_loyalty_rules',
  type: 'json',
  name: 'Loyalty rules',
  help: 'For what customers earn points and rewards.',
  field: loyaltyRulesField
})
