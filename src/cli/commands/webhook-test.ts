import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AdminApi, Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { needed, text } from '../flags.ts'
import { formatDelivery } from './show-delivery.ts'
import { storeFlag, storePath } from './store-flag.ts'

// A try has 30 s; the rest is for the sender to come to it.
const FOLLOW_MS = 35_000
const ASK_EVERY_MS = 250

/** The test send: queues a sample and follows it to its end. A sample that is not delivered makes the command fail. */
export function addTestCommand(webhook: Command, terminal: Terminal): void {
  addCommand(webhook, terminal, {
    name: 'test',
    summary: 'send a realistic sample of an event to a receiver, and tell how it went',
    flags: {
      store: storeFlag,
      id: needed('--id <endpoint>', text('an endpoint id such as we_2')),
      event: needed('--event <type>', text('an event type such as billing.success'))
    },
    run: async ({ store, id, event }, { api, failed }) => {
      const server = api()
      const sent = await server.post(storePath(store, `/webhooks/${encodeURIComponent(id)}/test`), { event })
      const ended = await followed(server, storePath(store, `/webhook-deliveries/${sent.webhook_id}`))
      if (ended.status !== 'delivered') failed()
      return ended
    },
    show: (delivery, { store }) => `${outcome(delivery)}\n\n${formatDelivery(delivery, store)}`
  })
}

async function followed(server: AdminApi, path: string): Promise<Document> {
  const until = performance.now() + FOLLOW_MS
  for (;;) {
    const delivery = await server.get(path)
    if (delivery.status !== 'retrying' || performance.now() > until) return delivery
    await wait(ASK_EVERY_MS)
  }
}

function outcome({ status, event, response_code, response_time_ms, failure }: Document): string {
  if (status === 'retrying')
    return `The sample of ${event} has not been tried yet: is the service running its background?`
  const answer = response_code === null ? 'no answer' : `the answer ${response_code}`
  if (status === 'delivered') return `Delivered: ${answer} in ${response_time_ms} ms.`
  return `Not delivered: ${answer} after ${response_time_ms} ms${failure === 'status' ? '' : ` (${failure})`}.`
}
