import { loyaltyTemplatesField } from '#loyalty'
import { defineMetafield } from '#platform'

/** What points can buy (spec 3, svc_loyalty_coupons): templates, not the coupons that were issued. */
export const loyaltyCoupons = defineMetafield({
  owner: 'shop',
  key: 'svc_loyalty_coupons',
  type: 'json',
  name: 'Loyalty coupons',
  help: 'What points can buy.',
  field: loyaltyTemplatesField
})
