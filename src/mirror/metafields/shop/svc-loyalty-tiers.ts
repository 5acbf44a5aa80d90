import { loyaltyTiersField } from '#loyalty'
import { defineMetafield } from '#platform'

/** The tiers of loyalty (spec 3, svc_loyalty_tiers). */
export const loyaltyTiers = defineMetafield({
  owner: 'shop',
  key: 'svc_loyalty_tiers',
  type: 'json',
  name: 'Loyalty tiers',
  help: 'The tiers of loyalty, in their order.',
  field: loyaltyTiersField
})
