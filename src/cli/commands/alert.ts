import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { optional, text, wholeNumber } from '../flags.ts'
import { harmless, lines } from '../print.ts'
import { storeFlag, storePath } from './store-flag.ts'

export function addAlertCommands(program: Command, terminal: Terminal): void {
  const alert = program.command('alert').description('what the people who run a store should hear of')

  addCommand(alert, terminal, {
    name: 'list',
    summary: 'the alerts of a store, newest first',
    flags: {
      store: storeFlag,
      limit: optional('--limit <n>', { ...wholeNumber(1, 100), accepts: 'how many, from 1 to 100 (default: 50)' }),
      before: optional('--before <alert>', text('the id of the alert that the page before ended with'))
    },
    run: ({ store, ...page }, { api }) => {
      const given = Object.entries(page).filter(([, value]) => value !== undefined)
      const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
      return api().get(storePath(store, `/alerts?${query}`))
    },
    show: ({ data, next }) => {
      const alerts = data as Document[]
      if (alerts.length === 0) return 'There is no alert.\n'
      const shown = alerts.flatMap(({ id, created_at, subject, message }) => [
        `${created_at}  ${id}  ${subject}`,
        ...String(message)
          .split('\n')
          .map((line) => `    ${harmless(line)}`.trimEnd()),
        ''
      ])
      return lines([...shown, ...(next ? [`There is more: add --before ${next}`] : [])])
    }
  })
}
