import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { argument, text } from '../flags.ts'
import { lines } from '../print.ts'
import { endpointOf } from './show-delivery.ts'
import { storeFlag, storePath } from './store-flag.ts'

/** A sample for everything that hears of a type; `webhook test` is for one receiver on purpose. */
export function addTriggerCommand(program: Command, terminal: Terminal): void {
  addCommand(program, terminal, {
    name: 'trigger',
    summary:
      'send a realistic sample of an event to all that hear of it: receivers and listening terminals; in a live store listening terminals only',
    flags: { event: argument('<event>', text('an event type such as billing.success')), store: storeFlag },
    run: ({ event, store }, { api }) => api().post(storePath(store, '/webhook-samples'), { event }),
    show: ({ event, listeners_only, data }, { store }) => {
      const sent = data as Document[]
      const live = listeners_only
        ? ['In a live store samples go to listening terminals only; `webhook test` sends one to a receiver.']
        : []
      if (sent.length === 0) {
        return lines([
          `Nobody hears of ${event} in ${store}: nothing is sent.`,
          ...live,
          'To listen at this terminal:',
          `  perennial listen --store ${store} --forward-to http://localhost:4000/hooks`
        ])
      }
      return lines([
        `A sample of ${event} is on its way to ${sent.length}:`,
        ...sent.map((delivery) => `  ${delivery.webhook_id}  ${endpointOf(delivery)}`),
        ...live
      ])
    }
  })
}
