import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { argument, needed, oneOf, optional, text, toggle, wholeNumber } from '../../flags.ts'
import { lines } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { formatDelivery, formatHistory } from '../show-delivery.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const deliveryFlag = argument('<webhook_id>', text('the webhook_id of a delivery, wh_…'))
const timeFlag = 'a date such as 2026-01-31 (midnight in the shop) or a date-time such as 2026-01-31T12:00:00Z'

/** The delivery history, and sending deliveries again. */
export function addDeliveryCommands(webhook: Command, terminal: Terminal): void {
  addCommand(webhook, terminal, {
    name: 'deliveries',
    summary: 'list the deliveries to endpoints and their results, newest first',
    flags: {
      store: storeFlag,
      event: optional('--event <type>', text('an event type such as billing.success')),
      status: optional('--status <status>', oneOf('delivered', 'retrying', 'failed')),
      from: optional('--from <time>', text(`created at or after this time: ${timeFlag}`)),
      to: optional('--to <time>', text(`created before this time: ${timeFlag}`)),
      object: optional('--object <id>', text('the subscription or member of the event, such as sub_12 or mem_3')),
      endpoint: optional('--endpoint <endpoint>', text('an endpoint id such as we_2')),
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of deliveries, from 1 to 100 (default: 50)'
      }),
      before: optional('--before <webhook_id>', text('the last webhook_id of the previous page'))
    },
    run: ({ store, ...filters }, { api }) => api().get(storePath(store, `/webhook-deliveries?${queryOf(filters)}`)),
    show: (page, { store }) => formatHistory(page, store)
  })

  addCommand(webhook, terminal, {
    name: 'delivery',
    summary: 'show a delivery with its payload and all attempts',
    flags: { webhook_id: deliveryFlag, store: storeFlag },
    run: ({ store, webhook_id }, { api }) => api().get(deliveryPath(store, webhook_id)),
    show: (delivery, { store }) => formatDelivery(delivery, store)
  })

  addCommand(webhook, terminal, {
    name: 'resend',
    summary: 'send a delivery again with the same webhook_id and body, and with new retries',
    flags: { webhook_id: deliveryFlag, store: storeFlag },
    run: ({ store, webhook_id }, { api }) => api().post(deliveryPath(store, webhook_id, '/resend'), {}),
    show: ({ webhook_id, endpoint }, { store }) =>
      `${webhook_id} is queued for ${endpoint}. To see the result:\n  perennial webhook delivery ${webhook_id} --store ${store}\n`
  })

  addCommand(webhook, terminal, {
    name: 'resend-failed',
    summary: 'send all deliveries again that failed or were cancelled since a time, except tests',
    flags: {
      store: storeFlag,
      since: needed('--since <time>', text(`failed at or after this time: ${timeFlag}`)),
      endpoint: optional('--endpoint <endpoint>', text('an endpoint id such as we_2 (default: every enabled one)')),
      missed: toggle('--missed', 'with --endpoint, send also the events that occurred while it was disabled')
    },
    run: ({ store, ...requested }, { api }) =>
      api().post(storePath(store, '/webhook-deliveries/resend-failed'), requested),
    show: (resent, { store, endpoint, missed }) => formatResent(resent, { store, endpoint, isMissedSent: !!missed })
  })
}

/** What was queued, and what was not: an endpoint that was disabled has events for which there is no delivery to send again. */
function formatResent(
  { resent, skipped, missed }: Document,
  { store, endpoint, isMissedSent }: { store: string; endpoint: string | undefined; isMissedSent: boolean }
): string {
  const queued = Number(resent) + Number(missed)
  return lines([
    `Deliveries queued again: ${resent}`,
    ...(isMissedSent ? [`Events queued that were never sent: ${missed}`] : []),
    ...(queued === 0
      ? []
      : [
          'To see those that are not delivered yet:',
          `  perennial webhook deliveries --store ${store} --status retrying`
        ]),
    ...(skipped === 0 ? [] : [`Not queued, because the endpoint is disabled or deleted: ${skipped}`]),
    ...(queued > 0 || isMissedSent
      ? []
      : [
          'What occurred while an endpoint was disabled has no delivery that could have failed. To send that too, add',
          `  ${endpoint === undefined ? '--endpoint <endpoint> ' : ''}--missed`
        ])
  ])
}

function deliveryPath(store: string, webhookId: string, rest = ''): string {
  return storePath(store, `/webhook-deliveries/${encodeURIComponent(webhookId)}${rest}`)
}
