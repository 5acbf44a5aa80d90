import { defineFact } from '#kit/outbox'

/** A sale campaign was added, changed or removed, or has begun or ended. */
export const walletCampaignChanged = defineFact('wallet_campaign.changed', ({ id }: { id: number }) => ({
  orderingKey: `wallet_campaign:${id}`,
  data: { id },
  refs: {}
}))
