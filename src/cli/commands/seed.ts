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
    run: async ({ store, members, months }, { api, err }) => {
      const server = api()
      const progress = await showProgress(err, `Seeding ${store}`)
      try {
        const result = await server.follow(storePath(store, '/seed'), { members, months }, (step) =>
          progress.step({ done: Number(step.done), total: Number(step.total), at: String(step.at) })
        )
        progress.end(`Seeded ${store}`)
        return result
      } catch (reason) {
        progress.fail(`Seeding ${store} failed`)
        throw reason
      }
    },
    show: facts
  })
}
