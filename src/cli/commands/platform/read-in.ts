import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AdminApi, Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { optional, toggle, wholeNumber } from '../../flags.ts'
import { lines, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const LOOK_AFTER_MS = { first: 500, growth: 1.2, max: 5_000 }

/** The reading of what a store had on its platform before it was connected. */
export function addReadInCommand(group: Command, terminal: Terminal): void {
  addCommand(group, terminal, {
    name: 'read-in',
    summary:
      'read the customers, contracts and recent orders that a store had before it was connected; repeat the command to follow one that is under way',
    flags: {
      store: storeFlag,
      ordersDays: optional('--orders-days <n>', {
        ...wholeNumber(1, 10_000),
        accepts:
          'orders of how many days, from 1 to 10000 (default: 60, as many as the platform shows without read_all_orders)'
      }),
      background: toggle('--background', 'return at once; the service goes on reading')
    },
    run: async ({ store, ordersDays, background }, { api, err }) => {
      const server = api()
      const path = storePath(store, '/platform/read-in')
      const started = await server.post(path, ordersDays === undefined ? {} : { orders_days: ordersDays })
      return background ? started : follow(server, path, started, err)
    },
    show: (readIn) =>
      table(
        ['part', 'status', 'since', 'lines', 'lines_read', 'seen', 'skipped', 'last_error'],
        'Nothing is read.'
      )({
        data: readIn.parts
      }) +
      (readIn.sees_all_orders
        ? ''
        : lines(['', 'Orders older than 60 days are not seen: the app has no scope read_all_orders.']))
  })
}

/** Shows the progress until everything is read. */
async function follow(server: AdminApi, path: string, started: Document, err: Terminal['err']): Promise<Document> {
  let now = started
  let pause = LOOK_AFTER_MS.first
  for (let shown = ''; now.status === 'running'; now = await server.get(path)) {
    const progress = (now.parts as Document[])
      .filter(({ status }) => status === 'waiting' || status === 'reading')
      .map(({ part, status, lines_read, lines, last_error }) =>
        last_error === null ? `${part}: ${status}, ${lines_read} of ${lines} lines` : `${part}: ${last_error}`
      )
      .join('; ')
    if (progress !== shown) err.write(`${progress}\n`)
    shown = progress
    await sleep(pause)
    pause = Math.min(pause * LOOK_AFTER_MS.growth, LOOK_AFTER_MS.max)
  }
  return now
}
