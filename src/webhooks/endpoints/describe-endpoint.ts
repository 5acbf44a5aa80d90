import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'

/** How alerts name an endpoint, and what the commands that they show need: its id, `--store`, and since when it fails. */
export async function describeEndpoint(
  ctx: Ctx,
  endpoint: { id: number; url: string; failingSince: Temporal.Instant | null }
) {
  const { timezone } = await storeContext(ctx)
  const id = publicId('we', endpoint.id)
  const shopTime = (instant: Temporal.Instant) =>
    instant.toLocaleString('en-GB', { timeZone: timezone, dateStyle: 'long', timeStyle: 'short' })
  return {
    id,
    name: `${id} (${shortened(endpoint.url)})`,
    store: `--store ${publicId('store', ctx.storeId)}`,
    since: (endpoint.failingSince ?? ctx.now).round({ smallestUnit: 'second', roundingMode: 'floor' }),
    timezone,
    shopTime
  }
}

/** A receiver's URL may be longer than an alert. */
function shortened(url: string): string {
  return url.length > 200 ? `${url.slice(0, 199)}…` : url
}
