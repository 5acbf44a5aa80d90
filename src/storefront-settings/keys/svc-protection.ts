import { flag, meaning, objectOf } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'

/** Protection from fraud (spec 3, svc_protection). */
export const protection = defineStorefrontSetting({
  key: 'svc_protection',
  name: 'Fraud protection',
  help: 'Whether an open or lost chargeback freezes the store credit of its order, and bars a second trial or welcome offer.',
  field: objectOf({ svc_protection: meaning('Fraud protection is on', flag()) }),
  initial: { svc_protection: false }
})
