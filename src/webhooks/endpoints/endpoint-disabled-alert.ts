import type { Ctx } from '#kit/postgres'
import { describeEndpoint } from './describe-endpoint.ts'
import type { DisabledEndpoint } from './endpoint-queries.ts'
import { undeliveredSince } from './undelivered-since.ts'

/** What to mail to those who run the store when the sender has disabled an endpoint, and what they can do about it. */
export async function endpointDisabledAlert(ctx: Ctx, endpoint: DisabledEndpoint, reason: string) {
  const { failingSince } = endpoint
  const { id, name, store, timezone, shopTime } = await describeEndpoint(ctx, endpoint)
  const since = await lostSince(ctx, endpoint)
  const failing = failingSince ? ` It has not taken a delivery since ${shopTime(failingSince)}.` : ''

  return {
    kind: 'webhook_endpoint_disabled',
    subject: `Webhook endpoint ${id} has been disabled`,
    message: [
      `The webhook endpoint ${name} was disabled on ${shopTime(ctx.now)} (${timezone}). `,
      `The reason: ${reason}.${failing}\n\n`,
      'Deliveries that were waiting for it have been cancelled, and events that occur while it is disabled are not queued ',
      'for it.\n\n',
      'When the receiver works again, enable the endpoint, and have all of that sent, the cancelled deliveries and the events:\n',
      `  perennial webhook enable ${store} --id ${id}\n`,
      `  perennial webhook resend-failed ${store} --endpoint ${id} --since ${since} --missed\n`,
      'Or let it fetch the events of that time from GET /v1/events.\n',
      `If it is no longer needed, delete it: perennial webhook delete ${store} --id ${id}`
    ].join('')
  }
}

/** Deliveries may have failed before the last success, and not have been sent again; those of now are cancelled already. */
async function lostSince(ctx: Ctx, { id, failingSince }: DisabledEndpoint): Promise<Temporal.Instant> {
  const times = [failingSince ?? ctx.now, (await undeliveredSince(ctx, id)) ?? ctx.now]
  return times.sort(Temporal.Instant.compare)[0]!.round({ smallestUnit: 'second', roundingMode: 'floor' })
}
