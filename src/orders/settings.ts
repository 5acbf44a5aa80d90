import { defineSettings, setting, shortText } from '#kit/define-settings'

/** Where the brand of an order comes from. */
export const brandSettings = defineSettings('brand', {
  attribute: setting({
    accepts: shortText(1, 255),
    default: 'brand',
    flag: '--brand-attribute <name>',
    help: 'The attribute of an order that holds its brand.'
  }),
  default: setting({
    accepts: shortText(0, 255),
    default: '',
    flag: '--default-brand <brand>',
    help: 'The brand of orders without that attribute. A change applies to orders that are recorded from then on.'
  })
})
