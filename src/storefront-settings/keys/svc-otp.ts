import { flag, meaning, objectOf } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'
import { needsMail } from '../needs-mail.ts'

/** Customers are identified by a code that is sent by mail (spec 3, svc_otp). */
export const otp = defineStorefrontSetting({
  key: 'svc_otp',
  name: 'Identification by a mailed code',
  help: 'Whether customers who are not logged in can be identified by a code that is sent to them by mail.',
  refuse: ({ otp_enabled }, means) => needsMail('otp_enabled', otp_enabled, means),
  field: objectOf({ otp_enabled: meaning('Codes are sent', flag()) }),
  initial: { otp_enabled: false }
})
