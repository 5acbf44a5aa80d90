import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { list, needed, optional, text, wholeNumber } from '../flags.ts'
import { facts, table } from '../print.ts'
import { storeFlag, storePath } from './store-flag.ts'

export function addKeyCommands(program: Command, terminal: Terminal): void {
  const key = program.command('key').description("a store's API keys")

  addCommand(key, terminal, {
    name: 'create',
    summary: 'create an API key, which is shown only once',
    flags: {
      store: storeFlag,
      name: needed('--name <name>', text('what the key is for')),
      scopes: optional('--scopes <scopes>', list('scopes such as read:members,write:billing (default: all)'))
    },
    run: ({ store, name, scopes }, { api }) => api().post(storePath(store, '/keys'), { name, scopes }),
    show: facts
  })

  addCommand(key, terminal, {
    name: 'list',
    summary: 'list the keys of a store, newest first',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/keys')),
    show: table(
      ['id', 'name', 'mode', 'hint', 'created_at', 'last_used_at', 'expires_at', 'revoked_at'],
      'The store has no keys yet.'
    )
  })

  addCommand(key, terminal, {
    name: 'roll',
    summary: 'create a key with the name and scopes of another, which still works for a while',
    flags: {
      store: storeFlag,
      id: needed('--id <key>', text('a key id such as key_3')),
      overlap: optional('--overlap <hours>', {
        ...wholeNumber(0, 168),
        accepts: 'hours for which the old key works too, from 0 to 168 (default: 24)'
      })
    },
    run: ({ store, id, overlap }, { api }) =>
      api().post(storePath(store, `/keys/${encodeURIComponent(id)}/roll`), { overlap }),
    show: facts
  })

  addCommand(key, terminal, {
    name: 'revoke',
    summary: 'revoke a key; requests with it are refused from now on',
    flags: { store: storeFlag, id: needed('--id <key>', text('a key id such as key_3')) },
    run: ({ store, id }, { api }) => api().delete(storePath(store, `/keys/${encodeURIComponent(id)}`)),
    show: facts
  })
}
