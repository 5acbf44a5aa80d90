import { defineMetafield } from '#platform'
import { saleCampaignsField } from '#wallet'

/** Sales of which the cards of members tell (spec 3, svc_wallet_pass_sale_campaigns). */
export const walletPassSaleCampaigns = defineMetafield({
  owner: 'shop',
  key: 'svc_wallet_pass_sale_campaigns',
  type: 'json',
  name: 'Wallet pass sales',
  help: 'Sales of which the wallet cards of members tell.',
  field: saleCampaignsField
})
