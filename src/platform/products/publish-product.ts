import type { PlatformClient } from '../wire/client.ts'
import { failed, type PlatformResult, succeeded } from '../wire/outcome.ts'
import { PlanProductChannels, PlanProductPublish } from './documents.ts'

/**
 * Publishes a product to all sales channels of the shop in which it is not. Returns in how many that was. Safe to repeat; a channel
 * from which somebody has taken the product gets it again.
 */
export async function publishProduct(client: PlatformClient, productId: string): Promise<PlatformResult<number>> {
  const id = client.gid('Product', productId)
  const found = await client.query(PlanProductChannels, { id }, (data) => {
    const product = data.maybeAt('product')
    const published = product?.at('resourcePublicationsV2').list('nodes') ?? []
    const isIn = new Set(published.map((one) => one.at('publication').text('id')))
    const channels = data.at('publications').list('nodes')
    return product && channels.map((channel) => channel.text('id')).filter((channel) => !isIn.has(channel))
  })
  if (!found.ok) return found
  if (!found.value) return failed({ kind: 'rejected', message: 'Its product is gone', field: 'id' })
  const missing = found.value
  if (missing.length === 0) return succeeded(0)
  const input = missing.map((publicationId) => ({ publicationId }))
  return client.mutate(PlanProductPublish, { id, input }, () => missing.length)
}
