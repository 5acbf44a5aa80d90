import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AdminApi, Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { needed, text } from '../../flags.ts'
import { formatDelivery } from '../show-delivery.ts'
import { storeFlag, storePath } from '../store-flag.ts'

// An attempt may take 30 s; the rest is for the sender to start it.
const FOLLOW_MS = 35_000
const ASK_EVERY_MS = 250

/** Queues a sample and waits for its result. The command fails when the sample is not delivered. */
export function addTestCommand(webhook: Command, terminal: Terminal): void {
  addCommand(webhook, terminal, {
    name: 'test',
    summary: 'send a realistic sample of an event to an endpoint and show the result',
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
  if (status === 'retrying') return `The sample of ${event} has not been sent yet; see the log of the service.`
  const response = response_code === null ? 'no response' : `status ${response_code}`
  if (status === 'delivered') return `Delivered: ${response} in ${response_time_ms} ms.`
  if (failure === 'interrupted') return 'Not delivered: the service stopped during the attempt.'
  return `Not delivered: ${response} after ${response_time_ms} ms${failure === 'status' ? '' : ` (${failure})`}.`
}
