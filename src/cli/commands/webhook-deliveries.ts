import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { argument, needed, oneOf, optional, text, wholeNumber } from '../flags.ts'
import { formatDelivery, formatHistory } from './show-delivery.ts'
import { storeFlag, storePath } from './store-flag.ts'

const deliveryFlag = argument('<webhook_id>', text('the webhook_id of a delivery, wh_…'))
const timeFlag = 'a date such as 2026-01-31 (midnight in the shop) or a date-time such as 2026-01-31T12:00:00Z'

/** What was sent, how it went, and sending it again. */
export function addDeliveryCommands(webhook: Command, terminal: Terminal): void {
  addCommand(webhook, terminal, {
    name: 'deliveries',
    summary: 'what was sent to receivers and how it went, newest first',
    flags: {
      store: storeFlag,
      event: optional('--event <type>', text('an event type such as billing.success')),
      status: optional('--status <status>', oneOf('delivered', 'retrying', 'failed')),
      from: optional('--from <time>', text(`made since then: ${timeFlag}`)),
      to: optional('--to <time>', text(`made before then: ${timeFlag}`)),
      object: optional('--object <id>', text('what it is about: a subscription or member such as sub_12 or mem_3')),
      endpoint: optional('--endpoint <endpoint>', text('an endpoint id such as we_2')),
      limit: optional('--limit <n>', { ...wholeNumber(1, 100), accepts: 'how many, from 1 to 100 (default: 50)' }),
      before: optional('--before <webhook_id>', text('the webhook_id that the page before ended with'))
    },
    run: ({ store, ...filters }, { api }) => {
      const given = Object.entries(filters).filter(([, value]) => value !== undefined)
      const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
      return api().get(storePath(store, `/webhook-deliveries?${query}`))
    },
    show: (page, { store }) => formatHistory(page, store)
  })

  addCommand(webhook, terminal, {
    name: 'delivery',
    summary: 'one delivery: its payload, every try, the next one',
    flags: { webhook_id: deliveryFlag, store: storeFlag },
    run: ({ store, webhook_id }, { api }) => api().get(deliveryPath(store, webhook_id)),
    show: (delivery, { store }) => formatDelivery(delivery, store)
  })

  addCommand(webhook, terminal, {
    name: 'resend',
    summary: 'send a delivery again: the same webhook_id and body, a new round of tries',
    flags: { webhook_id: deliveryFlag, store: storeFlag },
    run: ({ store, webhook_id }, { api }) => api().post(deliveryPath(store, webhook_id, '/resend'), {}),
    show: ({ webhook_id, endpoint }, { store }) =>
      `${webhook_id} is on its way to ${endpoint}. How it went:\n  perennial webhook delivery ${webhook_id} --store ${store}\n`
  })

  addCommand(webhook, terminal, {
    name: 'resend-failed',
    summary: 'send again whatever was given up since a time, test sends excepted',
    flags: {
      store: storeFlag,
      since: needed('--since <time>', text(`given up since then: ${timeFlag}`)),
      endpoint: optional('--endpoint <endpoint>', text('an endpoint id such as we_2 (default: every enabled one)'))
    },
    run: ({ store, ...requested }, { api }) =>
      api().post(storePath(store, '/webhook-deliveries/resend-failed'), requested),
    show: ({ resent, skipped }, { store }) =>
      `${resent} on their way again${resent === 0 ? '' : `; those not through yet:\n  perennial webhook deliveries --store ${store} --status retrying`}\n` +
      (skipped === 0 ? '' : `${skipped} stay given up, since their receivers are disabled or deleted.\n`)
  })
}

function deliveryPath(store: string, webhookId: string, rest = ''): string {
  return storePath(store, `/webhook-deliveries/${encodeURIComponent(webhookId)}${rest}`)
}
