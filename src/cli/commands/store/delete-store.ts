import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { ask, mayAsk } from '../../ask.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { badUsage, CommandError } from '../../command-error.ts'
import { optional, text } from '../../flags.ts'
import { harmless, lines } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

/** Deletes a store after its name is typed, or given by a script. */
export function addDeleteStoreCommand(store: Command, terminal: Terminal): void {
  addCommand(store, terminal, {
    name: 'delete',
    summary: 'delete a store with everything that it has, after its name is typed',
    flags: {
      store: storeFlag,
      confirm: optional('--confirm <name>', text('the name of the store, in place of typing it; for scripts'))
    },
    fields: { confirm: 'name' },
    run: async ({ store, confirm }, { api, err }) => {
      const name = confirm ?? (await askForName(await aboutStore(api, store), err))
      return api().post(storePath(store, '/delete'), { name })
    },
    show: ({ domain, deleted }) =>
      deleted
        ? `${domain} is deleted.\n`
        : lines([
            `${domain} is being deleted: nothing works in it any more. It takes a while; until it is gone,`,
            '`perennial store list` shows it as deleting.'
          ])
  })
}

/** What would be deleted, in a few lines. */
async function aboutStore(api: Terminal['api'], store: string): Promise<string[]> {
  if (!mayAsk()) {
    throw badUsage('--confirm is required where nobody can type the name of the store (standard input is no terminal)')
  }
  const { name, domain, sandbox, status } = await api().get(storePath(store))
  // A store whose deletion has begun is not read any more.
  const counts = status === 'deleting' ? [] : [await counted(api(), store)]
  return [
    `This deletes ${harmless(String(name))} (${domain}) with everything that it has. It cannot be undone.`,
    ...counts,
    ...(sandbox ? [] : ['Contracts on its platform stay there, and nobody bills them any more.'])
  ]
}

async function counted(api: ReturnType<Terminal['api']>, store: string): Promise<string> {
  const [members, active] = await Promise.all(
    ['/members?limit=1', '/subscriptions?limit=1&status=active'].map((path) => api.get(storePath(store, path)))
  )
  return `It has ${(members as Document).total} members and ${(active as Document).total} active subscriptions.`
}

async function askForName(about: string[], err: NodeJS.WriteStream): Promise<string> {
  err.write(lines(about))
  const typed = await ask('Type the name of the store to delete it: ', err)
  if (typed === '') throw new CommandError('usage', 'No name was typed: nothing is deleted')
  return typed
}
