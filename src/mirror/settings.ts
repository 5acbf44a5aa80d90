import { choice, defineSettings, setting, shortText } from '#kit/define-settings'

/** How members get their prices and free shipping at the platform's checkout. */
export const discountSettings = defineSettings('discounts', {
  enforcedBy: setting({
    accepts: choice('off', 'native', 'function'),
    default: 'off',
    flag: '--discounts-by <how>',
    help:
      'How members get the prices and the free shipping of their plan at the checkout. `function`: by two automatic discounts that run the ' +
      "app's discount function, which gives every perk. `native`: by the platform's own automatic discounts, limited to customers with the tag " +
      'of an active membership; `perennial platform discounts` lists the perks that these do not give. `off`: the service keeps no discount, and ends ' +
      'those that it has made.'
  }),
  functionHandle: setting({
    accepts: shortText(0, 100),
    default: '',
    flag: '--discount-function <handle>',
    help: "The handle of the discount function that the app has brought to the shop: `handle` in the extension's shopify.extension.toml. Needed where discounts.enforced_by is `function`."
  })
})
