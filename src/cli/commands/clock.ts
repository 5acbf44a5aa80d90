import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { badUsage, CommandError, ConnectionLost } from '../command-error.ts'
import { duration, instant, optional } from '../flags.ts'
import { harmless, lines } from '../print.ts'
import { listProblems } from './list-problems.ts'
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
    settles: true,
    run: async ({ store, by, to }, { api }) => {
      if ((by === undefined) === (to === undefined)) {
        throw badUsage(`Exactly one flag is required: --by with ${duration.accepts}, or --to with ${instant.accepts}`)
      }
      return api()
        .post(storePath(store, '/clock/advance'), { by, to })
        .catch((err: unknown) => {
          throw err instanceof ConnectionLost ? unknownTime(err, store) : inFlags(err)
        })
    },
    show: (advanced, { store }) => {
      const [problems, alerts] = [advanced.problems as Document[], advanced.alerts as Document[]]
      const undelivered = Number(advanced.undelivered)
      const wrong = [
        ...listProblems(problems),
        ...(undelivered === 0
          ? []
          : [
              '',
              `${undelivered === 1 ? 'One webhook delivery' : `${undelivered} webhook deliveries`} failed in every try:`,
              `  perennial webhook deliveries --store ${store} --status failed`
            ])
      ]
      // An alert may also say that something works again.
      const raised =
        alerts.length === 0
          ? []
          : [
              '',
              'Alerts that were raised:',
              ...alerts.map(({ subject }) => harmless(`  ${subject}`)),
              `  To read them: perennial alert list --store ${store}`
            ]
      return lines([
        `The time is now ${advanced.now}. Everything that fell due is done${wrong.length === 0 ? '.' : ', but not all of it worked:'}`,
        ...wrong,
        ...raised
      ])
    }
  })
}

/** Repeating --by could move the clock too far. */
const unknownTime = ({ code, message }: ConnectionLost, store: string) =>
  new CommandError(
    code,
    `${message}. The clock may have moved part of the way: \`perennial store show --store ${store}\` shows it; go on with --to`
  )

/** A message that names the fields of the request. */
const inFlags = (err: unknown) =>
  err instanceof CommandError && err.code === 'unavailable'
    ? new CommandError(err.code, err.message.replace('(`to`), not `by`', '(`--to`), not `--by`'))
    : err
