import { text as textOf } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { addCommand, type Terminal } from '../../command.ts'
import { CommandError } from '../../command-error.ts'
import { customerText } from '../../customer-flag.ts'
import { argument, id, matching, optional, text, toggle, wholeNumber } from '../../flags.ts'
import { facts, lines, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const requestFlag = argument('<request>', id('priv', 'the id of a privacy request such as priv_3'))

const NOBODY =
  'No customer of the store is named by this: only orders and texts with the address or phone are looked for. Is it typed correctly?'

/** Requests about personal data. */
export function addPrivacyCommands(program: Command, terminal: Terminal): void {
  const privacy = program
    .command('privacy')
    .description('requests about personal data: what is held about a customer, and its erasure')

  addCommand(privacy, terminal, {
    name: 'list',
    summary: 'list the privacy requests of a store, newest first',
    flags: {
      store: storeFlag,
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of requests, from 1 to 100 (default: 50)'
      }),
      before: optional('--before <request>', text('the last id of the previous page'))
    },
    run: ({ store, ...page }, { api }) => api().get(storePath(store, `/privacy?${queryOf(page)}`)),
    show: (document) =>
      table(
        ['id', 'topic', 'source', 'customer_id', 'status', 'received_at', 'due_at', 'done_at', 'reason'],
        'There are no privacy requests.'
      )(document) + lines(document.next ? ['', `For the next page add --before ${document.next}`] : [])
  })

  addCommand(privacy, terminal, {
    name: 'show',
    summary: 'show a privacy request and how far it is',
    flags: { request: requestFlag, store: storeFlag },
    run: ({ request, store }, { api }) => api().get(storePath(store, `/privacy/${request}`)),
    show: facts
  })

  addCommand(privacy, terminal, {
    name: 'run',
    summary: "erase a customer, or make a file of what is held about them, as the platform's compliance webhooks do",
    flags: {
      store: storeFlag,
      customer: optional('--customer <customer>', customerText),
      phone: optional('--phone <phone>', matching('a phone number of at least 7 digits', /^[+0-9 ()./-]{7,50}$/)),
      export: toggle('--export', 'make a file of what is held'),
      erase: toggle('--erase', 'erase everything that is held; this cannot be taken back'),
      endSubscriptions: toggle('--end-subscriptions', 'with --erase: end the subscriptions that are running')
    },
    settles: true,
    run: async ({ store, customer, phone, export: isExport, erase, endSubscriptions }, { api }) => {
      if (Boolean(isExport) === Boolean(erase))
        throw new CommandError('invalid_request', 'Give either --export or --erase')
      if (customer === undefined && phone === undefined) {
        throw new CommandError('invalid_request', 'Give --customer, --phone or both')
      }
      return api().post(storePath(store, '/privacy'), {
        topic: erase ? 'customers/redact' : 'customers/data_request',
        customer,
        phone,
        ...(endSubscriptions && { end_subscriptions: true })
      })
    },
    show: (document, { store }) =>
      facts(document) +
      lines([
        '',
        ...(document.customers_found === 0 ? [NOBODY] : []),
        document.topic === 'customers/redact'
          ? `How far it is: perennial privacy show ${document.id} --store ${store}`
          : `The file, when it is ready: perennial privacy export ${document.id} --store ${store}`
      ])
  })

  addCommand(privacy, terminal, {
    name: 'export',
    summary: 'print the file of a data request, which is done with that',
    flags: { request: requestFlag, store: storeFlag },
    run: async ({ request, store }, { api, out, json }) => {
      const file = await api().readFile(storePath(store, `/privacy/${request}/export`))
      if (json) return JSON.parse(await textOf(file))
      await pipeline(file, out, { end: false })
      return null
    },
    show: facts
  })
}
