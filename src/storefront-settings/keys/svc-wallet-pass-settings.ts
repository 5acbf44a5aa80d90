import { flag, meaning, objectOf } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'

/** Membership cards for the wallet of a phone (spec 3, svc_wallet_pass_settings). */
export const walletPass = defineStorefrontSetting({
  key: 'svc_wallet_pass_settings',
  name: 'Wallet pass',
  help: 'Whether members can get a card for the wallet of their phone.',
  field: objectOf({ wallet_pass_enabled: meaning('They can', flag()) }),
  initial: { wallet_pass_enabled: false }
})
