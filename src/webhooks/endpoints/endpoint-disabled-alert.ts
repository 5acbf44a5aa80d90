import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import type { DisabledEndpoint } from './endpoint-queries.ts'

/** What to mail to those who run the store when the sender has disabled an endpoint, and what they can do about it. */
export async function endpointDisabledAlert(ctx: Ctx, { id, url, failingSince }: DisabledEndpoint, reason: string) {
  const { timezone } = await storeContext(ctx)
  const shopTime = (instant: Temporal.Instant) =>
    instant.toLocaleString('en-GB', { timeZone: timezone, dateStyle: 'long', timeStyle: 'short' })
  const endpoint = publicId('we', id)
  const store = `--store ${publicId('store', ctx.storeId)}`
  const since = (failingSince ?? ctx.now).round({ smallestUnit: 'second', roundingMode: 'floor' })
  const failing = failingSince ? ` It has not taken a delivery since ${shopTime(failingSince)}.` : ''

  return {
    kind: 'webhook_endpoint_disabled',
    subject: `Webhook endpoint ${endpoint} has been disabled`,
    message: [
      `The webhook endpoint ${endpoint} (${shortened(url)}) was disabled on ${shopTime(ctx.now)} (${timezone}). `,
      `The reason: ${reason}.${failing}\n\n`,
      'Deliveries that were waiting for it have been cancelled, and events that occur while it is disabled are not sent ',
      'to it, nor later.\n\n',
      'When the receiver works again, enable the endpoint, and have the cancelled deliveries sent again:\n',
      `  perennial webhook enable ${store} --id ${endpoint}\n`,
      `  perennial webhook resend-failed ${store} --endpoint ${endpoint} --since ${since}\n`,
      `If it is no longer needed, delete it: perennial webhook delete ${store} --id ${endpoint}`
    ].join('')
  }
}

/** A receiver's URL may be longer than an alert. */
function shortened(url: string): string {
  return url.length > 200 ? `${url.slice(0, 199)}…` : url
}
