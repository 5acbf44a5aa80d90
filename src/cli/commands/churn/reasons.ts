import type { Command } from 'commander'
import { addCommand, requireOneOf, type Terminal } from '../../command.ts'
import { characters, isYes, needed, optional, orWord, text, wholeNumber, yesOrNo } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

/** The nine reasons that people can give who cancel. */
export function addReasonCommands(churn: Command, terminal: Terminal): void {
  const reason = churn.command('reason').description('the reasons that people can give who cancel')

  addCommand(reason, terminal, {
    name: 'list',
    summary: 'list the nine reasons in their order, with those that are switched off',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/churn/reasons')),
    show: table(['alias', 'enabled', 'position', 'title', 'description'], 'The store has no reasons.')
  })

  const change = {
    title: optional('--title <text>', characters(1, 100)),
    description: optional('--description <text>', orWord('none', characters(1, 500))),
    position: optional('--position <n>', wholeNumber(1, 100)),
    enabled: yesOrNo('--enabled <yes|no>')
  }
  addCommand(reason, terminal, {
    name: 'update',
    summary: 'change a reason; what is left out stays',
    flags: {
      store: storeFlag,
      alias: needed('--alias <alias>', text('the alias of a reason (`churn reason list` lists them)')),
      ...change
    },
    run: ({ store, alias, ...given }, { api }) => {
      requireOneOf(change, given)
      const { description, enabled } = given
      return api().patch(storePath(store, `/churn/reasons/${encodeURIComponent(alias)}`), {
        ...given,
        description: description === 'none' ? null : description,
        enabled: isYes(enabled)
      })
    },
    show: facts
  })
}
