import { defineMetafield } from '#platform'
import { saleCampaignsField } from '#wallet'

/** Sales that the cards of members show (spec 3, svc_wallet_pass_sale_campaigns). */
export const walletPassSaleCampaigns = defineMetafield({
  owner: 'shop',
  key: 'svc_wallet_pass_sale_campaigns',
  type: 'json',
  name: 'Wallet pass sales',
  help: 'Sales that the wallet cards of members show.',
  field: saleCampaignsField
})
