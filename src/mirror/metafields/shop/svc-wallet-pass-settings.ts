import { flag, meaning, objectOf } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** Membership cards for the wallet of a phone (spec 3, svc_wallet_pass_settings). */
export const walletPassSettings = defineMetafield({
  owner: 'shop',
  key: 'svc_wallet_pass_settings',
  type: 'json',
  name: 'Wallet pass',
  help: 'Whether members can get a card for the wallet of their phone.',
  field: objectOf({ wallet_pass_enabled: meaning('They can', flag()) })
})
