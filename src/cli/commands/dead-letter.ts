import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { argument, optional, text, wholeNumber } from '../flags.ts'
import { lines, table } from '../print.ts'
import { queryOf } from './pages.ts'
import { storeFlag, storePath } from './store-flag.ts'

/** Events that a part of the service could not handle in any of its tries. */
export function addDeadLetterCommands(program: Command, terminal: Terminal): void {
  const letter = program
    .command('dead-letter')
    .description('events that a part of the service could not handle, and trying them again')

  addCommand(letter, terminal, {
    name: 'list',
    summary: 'list the dead letters of a store, newest first',
    flags: {
      store: storeFlag,
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of dead letters, from 1 to 100 (default: 50)'
      }),
      before: optional('--before <id>', text('the last id of the previous page'))
    },
    run: ({ store, ...page }, { api }) => api().get(storePath(store, `/dead-letters?${queryOf(page)}`)),
    show: (document, { store }) =>
      table(
        ['id', 'fact', 'ordering_key', 'attempts', 'occurred_at', 'dead_at', 'error'],
        'There are no dead letters.'
      )(document) +
      lines([
        ...(document.next ? ['', `For the next page add --before ${document.next}`] : []),
        ...((document.data as unknown[]).length > 0
          ? ['', `When the reason is removed: perennial dead-letter retry <id> --store ${store}`]
          : [])
      ])
  })

  addCommand(letter, terminal, {
    name: 'retry',
    summary: 'have a dead letter tried once more, at once',
    flags: { id: argument('<id>', text('the id of a dead letter, webhooks:812')), store: storeFlag },
    run: ({ store, id }, { api }) => api().post(storePath(store, `/dead-letters/${encodeURIComponent(id)}/retry`), {}),
    show: ({ id }, { store }) =>
      lines([
        `${id} is tried again. Is it still there after a moment, it failed again:`,
        `  perennial dead-letter list --store ${store}`
      ])
  })
}
