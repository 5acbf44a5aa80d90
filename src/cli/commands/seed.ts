import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { needed, wholeNumber } from '../flags.ts'
import { facts } from '../print.ts'
import { showProgress } from '../show-progress.ts'
import { storeFlag, storePath } from './store-flag.ts'

export function addSeedCommand(program: Command, terminal: Terminal): void {
  addCommand(program, terminal, {
    name: 'seed',
    summary: 'fill a sandbox store with members and months of history',
    flags: {
      store: storeFlag,
      members: needed('--members <n>', wholeNumber(1, 100_000)),
      months: needed('--months <n>', wholeNumber(1, 60))
    },
    run: async ({ store, members, months }, { api, err, failed }) => {
      const server = api()
      const progress = await showProgress(err, `Seeding ${store}`)
      try {
        const result = await server.follow(storePath(store, '/seed'), { members, months }, (step) =>
          progress.step({ done: Number(step.done), total: Number(step.total), at: String(step.at) })
        )
        const known = Number(result.subscriptions)
        if (known >= members) progress.end(`Seeded ${store}`)
        else {
          failed()
          progress.fail(
            `Of ${members} subscriptions ${known} are known here: messages of the shop did not arrive. To have them sent again, and the rest read from the platform:\n` +
              `  perennial sandbox webhooks --store ${store} --off\n  perennial store reconcile --store ${store}`
          )
        }
        return result
      } catch (reason) {
        progress.fail(`Seeding ${store} failed`)
        throw reason
      }
    },
    show: facts
  })
}
