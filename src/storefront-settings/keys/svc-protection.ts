import { flag, meaning, objectOf } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'

/** Protection from fraud (spec 3, svc_protection). */
export const protection = defineStorefrontSetting({
  key: 'svc_protection',
  name: 'Fraud protection',
  help: 'Whether an open or lost chargeback takes back the store credit and points of its order until it is won, and bars a second trial. Off: it raises alerts only.',
  field: objectOf({ svc_protection: meaning('Fraud protection is on', flag()) }),
  initial: { svc_protection: true }
})
