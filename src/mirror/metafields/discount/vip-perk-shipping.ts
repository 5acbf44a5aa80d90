import { meaning, objectOf, textOf } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** Which shipping method is free for whom (spec 3, vip_perk_shipping). It is read where others wrote it, and never written. */
export const vipPerkShipping = defineMetafield({
  owner: 'discount',
  key: 'vip_perk_shipping',
  type: 'json',
  name: 'Free shipping of members',
  help: 'Not used: the service never writes it.',
  field: objectOf({
    handle: meaning('Id of the shipping method', textOf(255)),
    customerTag: meaning('Tags of customers, as JSON in a text', textOf(1000))
  })
})
