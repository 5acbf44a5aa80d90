import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { list, needed, optional, text } from '../flags.ts'
import { facts, table } from '../print.ts'
import { aStore, storePath } from './of-store.ts'

export function addWebhookCommands(program: Command, terminal: Terminal): void {
  const webhook = program.command('webhook').description("who hears of a store's events")

  addCommand(webhook, terminal, {
    name: 'create',
    summary: 'send events to a receiver; the secret that signs them is shown only now',
    flags: {
      store: aStore,
      url: needed('--url <url>', text('the https address of the receiver')),
      events: optional('--events <types>', list('event types such as billing.success (default: all)'))
    },
    run: ({ store, url, events }, { api }) => api().post(storePath(store, '/webhooks'), { url, events }),
    show: facts
  })

  addCommand(webhook, terminal, {
    name: 'list',
    summary: 'the receivers of a store',
    flags: { store: aStore },
    run: ({ store }, { api }) => api().get(storePath(store, '/webhooks')),
    show: table(
      ['id', 'url', 'status', 'disabled_reason', 'failing_since', 'created_at'],
      'The store has no receiver yet.'
    )
  })
}
