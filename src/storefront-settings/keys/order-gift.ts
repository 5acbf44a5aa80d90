import { flag, meaning, objectOf } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'

/** Gifts that go with an order (spec 3, order_gift). */
export const orderGift = defineStorefrontSetting({
  key: 'order_gift',
  name: 'Gift with an order',
  help: 'Whether an order whose attribute `mystery_gift` is true gets the tag `mystery_gift`. Orders that have it keep it when this is turned off; of older orders only those that change later get it.',
  field: objectOf({ enabled: meaning('Such orders get the tag', flag()) }),
  initial: { enabled: false }
})
