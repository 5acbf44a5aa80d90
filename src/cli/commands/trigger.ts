import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { argument, text } from '../flags.ts'
import { lines } from '../print.ts'
import { endpointOf } from './show-delivery.ts'
import { storeFlag, storePath } from './store-flag.ts'

/** Sends a sample to all endpoints of an event type; `webhook test` sends one to a single endpoint. */
export function addTriggerCommand(program: Command, terminal: Terminal): void {
  addCommand(program, terminal, {
    name: 'trigger',
    summary:
      'send a realistic sample of an event to all its endpoints and listeners; in a live store to listeners only',
    flags: { event: argument('<event>', text('an event type such as billing.success')), store: storeFlag },
    run: ({ event, store }, { api }) => api().post(storePath(store, '/webhook-samples'), { event }),
    show: ({ event, listeners_only, data }, { store }) => {
      const sent = data as Document[]
      const live = listeners_only
        ? ['In a live store samples go to listeners only. `webhook test` sends one to an endpoint.']
        : []
      if (sent.length === 0) {
        return lines([
          `No endpoint or listener in ${store} receives ${event}: nothing was sent.`,
          ...live,
          'To start a listener:',
          `  perennial listen --store ${store} --forward-to http://localhost:4000/hooks`
        ])
      }
      return lines([
        `A sample of ${event} is queued for:`,
        ...sent.map((delivery) => `  ${delivery.webhook_id}  ${endpointOf(delivery)}`),
        ...live
      ])
    }
  })
}
