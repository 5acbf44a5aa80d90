import type { Ctx } from '#kit/postgres'
import { describeEndpoint } from './describe-endpoint.ts'
import { DISABLE_AFTER } from './failing-endpoints.ts'

type Failing = { id: number; url: string; failingSince: Temporal.Instant; failedDeliveries: number }

/** What to mail to those who run the store when an endpoint has not taken a delivery for so many hours. */
export async function endpointFailingAlert(ctx: Ctx, endpoint: Failing, hours: number) {
  const { failingSince, failedDeliveries } = endpoint
  const { id, name, store, since, timezone, shopTime } = await describeEndpoint(ctx, endpoint)
  const lost =
    failedDeliveries === 1
      ? 'One delivery has used up all its tries'
      : `${failedDeliveries || 'No'} deliveries have used up all their tries`

  return {
    kind: 'webhook_endpoint_failing',
    subject: `Webhook endpoint ${id} has not taken a delivery for ${hours === 24 ? 'a day' : `${hours / 24} days`}`,
    message: [
      `The webhook endpoint ${name} has not taken a delivery since ${shopTime(failingSince)} (${timezone}). `,
      `${lost} since then. It is disabled when no delivery has succeeded for `,
      `${DISABLE_AFTER.hours / 24} days and at least ${DISABLE_AFTER.deliveries} have used up theirs.\n\n`,
      'To see what it responds:\n',
      `  perennial webhook deliveries ${store} --endpoint ${id}\n`,
      'When it works again, have the failed deliveries sent again:\n',
      `  perennial webhook resend-failed ${store} --endpoint ${id} --since ${since}`
    ].join('')
  }
}
