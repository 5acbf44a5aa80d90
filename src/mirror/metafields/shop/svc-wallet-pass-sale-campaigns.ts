import { listOf, meaning, objectOf, orNull, textOf, utcInstant, word } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** Sales of which the cards of members tell (spec 3, svc_wallet_pass_sale_campaigns). */
export const walletPassSaleCampaigns = defineMetafield({
  owner: 'shop',
  key: 'svc_wallet_pass_sale_campaigns',
  type: 'json',
  name: 'Wallet pass sales',
  help: 'Sales of which the wallet cards of members tell.',
  field: listOf(
    objectOf({
      id: meaning('Its id', textOf(50, 1)),
      status: meaning('active while it is enabled and within its dates', word('active', 'inactive')),
      pop_up_image: meaning('Path of its picture', textOf(1000)),
      pop_up_title: meaning('Its title', textOf(255)),
      pop_up_text: meaning('Its text', textOf(1000)),
      starts_at: meaning('From when on', orNull(utcInstant())),
      ends_at: meaning('Until when', orNull(utcInstant()))
    }),
    100
  )
})
