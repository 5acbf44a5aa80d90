import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { optional, text, wholeNumber } from '../flags.ts'
import type { Document } from '../operator-api.ts'
import { harmless, lines } from '../print.ts'
import { aStore, storePath } from './of-store.ts'

export function addNoticeCommands(program: Command, terminal: Terminal): void {
  const notice = program.command('notice').description('what the people who run a store should hear of')

  addCommand(notice, terminal, {
    name: 'list',
    summary: 'the notices of a store, newest first',
    flags: {
      store: aStore,
      limit: optional('--limit <n>', { ...wholeNumber(1, 100), takes: 'how many, from 1 to 100 (default: 50)' }),
      before: optional('--before <notice>', text('the id of the notice that the page before ended with'))
    },
    run: ({ store, ...page }, { api }) => {
      const given = Object.entries(page).filter(([, value]) => value !== undefined)
      const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
      return api().get(storePath(store, `/notices?${query}`))
    },
    show: ({ data, next }) => {
      const notices = data as Document[]
      if (notices.length === 0) return 'There is no notice.\n'
      const shown = notices.flatMap(({ id, created_at, subject, message }) => [
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
