import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AdminApi, Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { customerIdOf, customerText } from '../../customer-flag.ts'
import { argument, needed, optional, text, toggle, wholeNumber } from '../../flags.ts'
import { facts, lines, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const LOOK_AFTER_MS = { first: 500, growth: 1.2, max: 5_000 }

/** The orders of a store, plain ones of the shop too. */
export function addOrderCommands(program: Command, terminal: Terminal): void {
  const orders = program.command('orders').description('orders of a store')

  addCommand(orders, terminal, {
    name: 'list',
    summary: 'list the orders that are known, the last one to become known first',
    flags: {
      store: storeFlag,
      customer: optional('--customer <customer>', customerText),
      before: optional('--before <order>', text('the last order of the page before')),
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of orders, from 1 to 100 (default: 50)'
      })
    },
    run: async ({ store, customer, ...given }, { api }) => {
      const named = { ...given, customer: await customerIdOf(api(), store, customer) }
      return api().get(storePath(store, `/orders?${queryOf(named)}`))
    },
    show: (page) => {
      const rows = table(
        ['id', 'name', 'customer_name', 'processed_at', 'financial_status', 'total', 'currency', 'refunded', 'channel'],
        'There are no such orders.'
      )
      return rows(page) + (page.next ? lines(['', `For the next page add --before ${page.next}`]) : '')
    }
  })

  addCommand(orders, terminal, {
    name: 'show',
    summary: 'show an order with its lines, refunds, payments and disputes',
    flags: {
      order: argument('<order>', text("the platform's number of an order, its global id, or our id such as ord_7")),
      store: storeFlag
    },
    run: ({ order, store }, { api }) => api().get(storePath(store, `/orders/${encodeURIComponent(order)}`)),
    show: facts
  })

  addCommand(orders, terminal, {
    name: 'import',
    summary:
      'read the orders that changed on the platform since a date; repeat the command to follow one that is under way',
    flags: {
      store: storeFlag,
      since: needed('--since <date>', text('a date such as 2025-01-31 (midnight in the shop) or 2025-01-31T12:00:00Z')),
      background: toggle('--background', 'return at once; the service goes on reading')
    },
    run: async ({ store, since, background }, { api, err }) => {
      const server = api()
      const started = await server.post(storePath(store, '/order-import'), { since })
      return background ? started : followImport(server, store, started, err)
    },
    show: facts
  })
}

/** Shows the progress of the import until it ends. */
async function followImport(
  server: AdminApi,
  store: string,
  started: Document,
  err: Terminal['err']
): Promise<Document> {
  let now = started
  let pause = LOOK_AFTER_MS.first
  for (let error: unknown = null; now.status === 'running'; now = await server.get(storePath(store, '/order-import'))) {
    if (now.last_error !== error && now.last_error !== null) err.write(`Waiting: ${now.last_error}\n`)
    error = now.last_error ?? error
    err.write(`${now.seen} listed by the platform, ${now.changed} new or changed\n`)
    await sleep(pause)
    pause = Math.min(pause * LOOK_AFTER_MS.growth, LOOK_AFTER_MS.max)
  }
  return now
}
