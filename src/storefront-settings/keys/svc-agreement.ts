import { flag, meaning, objectOf } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'

/** Customers agree to the terms of a subscription before they buy it (spec 3, svc_agreement). */
export const agreement = defineStorefrontSetting({
  key: 'svc_agreement',
  name: 'Agreement',
  help: 'Whether the storefront asks customers to agree to the terms of a subscription before they buy it. What they agreed to, the order attribute svc_agreement, is kept in the history of the subscription.',
  field: objectOf({ agreement_enabled: meaning('It asks', flag()) }),
  initial: { agreement_enabled: false }
})
