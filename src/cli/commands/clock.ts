import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { badUsage, CommandError, ConnectionLost } from '../command-error.ts'
import { duration, instant, optional } from '../flags.ts'
import { storeFlag, storePath } from './store-flag.ts'

export function addClockCommands(program: Command, terminal: Terminal): void {
  const clock = program.command('clock').description('the test clock of a sandbox store')

  addCommand(clock, terminal, {
    name: 'advance',
    summary: 'move the test clock forward, and wait until everything that fell due is done, deliveries included',
    flags: {
      store: storeFlag,
      by: optional('--by <duration>', duration),
      to: optional('--to <instant>', instant)
    },
    run: async ({ store, by, to }, { api }) => {
      if ((by === undefined) === (to === undefined)) {
        throw badUsage(`Exactly one flag is required: --by with ${duration.accepts}, or --to with ${instant.accepts}`)
      }
      return api()
        .post(storePath(store, '/clock/advance'), { by, to })
        .catch((err: unknown) => {
          throw err instanceof ConnectionLost ? unknownTime(err, store) : err
        })
    },
    show: ({ now }) => `The time is now ${now}. Everything that fell due is done.\n`
  })
}

/** Repeating --by could move the clock too far. */
const unknownTime = ({ code, message }: ConnectionLost, store: string) =>
  new CommandError(
    code,
    `${message}. The clock may have moved part of the way: \`perennial store show --store ${store}\` shows it; go on with --to`
  )
