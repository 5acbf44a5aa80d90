import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { optional, text, wholeNumber } from '../flags.ts'
import { harmless, lines } from '../print.ts'
import { queryOf } from './pages.ts'
import { storeFlag, storePath } from './store-flag.ts'

export function addAlertCommands(program: Command, terminal: Terminal): void {
  const alert = program.command('alert').description('alerts to the people who run a store')

  addCommand(alert, terminal, {
    name: 'list',
    summary: 'list the alerts of a store, newest first',
    flags: {
      store: storeFlag,
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of alerts, from 1 to 100 (default: 50)'
      }),
      before: optional('--before <alert>', text('the last alert id of the previous page'))
    },
    run: ({ store, ...page }, { api }) => api().get(storePath(store, `/alerts?${queryOf(page)}`)),
    show: ({ data, next }) => {
      const alerts = data as Document[]
      if (alerts.length === 0) return 'There are no alerts.\n'
      const shown = alerts.flatMap(({ id, kind, created_at, subject, message }) => [
        `${created_at}  ${id}  ${kind}  ${subject}`,
        ...String(message)
          .split('\n')
          .map((line) => `    ${harmless(line)}`.trimEnd()),
        ''
      ])
      return lines([...shown, ...(next ? [`For the next page add --before ${next}`] : [])])
    }
  })
}
