import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { customerIdOf, customerText } from '../customer-flag.ts'
import { optional, text, wholeNumber } from '../flags.ts'
import { lines, table } from '../print.ts'
import { queryOf } from './pages.ts'
import { storeFlag, storePath } from './store-flag.ts'

const MAX_SEQUENCE = 999_999_999_999_999

/** The events of a store, which receivers get as webhooks. */
export function addEventCommands(program: Command, terminal: Terminal): void {
  const event = program.command('event').description('events of a store, which its webhooks deliver')

  addCommand(event, terminal, {
    name: 'list',
    summary: 'list the events of a store in their order, oldest first',
    flags: {
      store: storeFlag,
      type: optional('--type <type>', text('an event type such as billing.success')),
      customer: optional('--customer <id>', customerText),
      since: optional('--since <sequence>', {
        ...wholeNumber(0, MAX_SEQUENCE),
        accepts: 'events after this sequence (default: all that are kept)'
      }),
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of events, from 1 to 100 (default: 50)'
      })
    },
    run: async ({ store, customer, ...given }, { api }) => {
      const named = { ...given, customer: await customerIdOf(api(), store, customer) }
      return api().get(storePath(store, `/events?${queryOf(named)}`))
    },
    show: (document) => {
      const data = document.data as Document[]
      const rest = Number(document.total) - data.length
      return (
        table(
          ['sequence', 'id', 'timestamp', 'event', 'data'],
          'There are no such events.'
        )({
          data: data.map((one) => ({ ...one, data: shortened(JSON.stringify(one.data)) }))
        }) + (rest > 0 ? lines(['', `${rest} more; for the next page add --since ${document.next_since}`]) : '')
      )
    }
  })
}

const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
