import { type Command, InvalidArgumentError, Option } from 'commander'
import { beginningOf } from '#kit/texts'
import type { AdminApi, Document } from './admin-api.ts'
import { badUsage } from './command-error.ts'
import type { Flag, Flags, ValuesOf } from './flags.ts'
import { nameFlags } from './name-flags.ts'
import { sayWaiting } from './say-waiting.ts'
import { whatItWaitsFor } from './what-it-waits-for.ts'

/** What a command gets from its caller. Documents are printed the same way for all commands. */
export type Terminal = {
  /** Finds the server on first use, so that bad flags are reported without a server. */
  api: () => AdminApi
  env: NodeJS.ProcessEnv
  /** For progress and remarks, which are never part of the output. */
  err: NodeJS.WriteStream
  answer(document: Document, shown: () => string): void
  /** For commands that print while they run. */
  out: NodeJS.WriteStream
  json: boolean
  /** Makes the exit code 1 although the command ran: it found problems. */
  failed(): void
}

type CommandOf<F extends Flags> = {
  name: string
  summary: string
  flags: F
  /** Fields of the request by the key of their flag, where their names do not follow from each other. */
  fields?: Record<string, string>
  /** It lasts until everything due in the store is done, and so as long as a receiver may take. */
  settles?: boolean
  /** Null when the command has printed its own output. */
  run: (values: ValuesOf<F>, terminal: Terminal) => Promise<Document | null>
  /** The output for people. */
  show: (document: Document, values: ValuesOf<F>) => string
}

/** Adds a command under `parent`. `--json` comes with each. */
export function addCommand<F extends Flags>(parent: Command, terminal: Terminal, command: CommandOf<F>): Command {
  const added = parent.command(command.name).description(command.summary)
  const named = Object.keys(command.flags).filter((key) => command.flags[key]!.written === `<${key}>`)
  // Optional for commander, so that a missing one is reported with our message.
  /** What is wrong with the given values, by the key of the flag: all of it is reported together. */
  const wrong = new Map<string, string>()
  for (const key of named) {
    added.argument(`[${key}]`, command.flags[key]!.accepts, readerOf(key, command.flags[key]!, wrong))
  }
  if (named.length > 0) added.usage(`${named.map((key) => `<${key}>`).join(' ')} [options]`)
  for (const [key, flag] of Object.entries(command.flags)) {
    if (named.includes(key)) continue
    const { written, accepts, needed } = flag
    const option = new Option(written, needed ? `${accepts} (required)` : accepts)
    if (option.attributeName() !== key) throw new Error(`${written} is read as ${option.attributeName()}, not ${key}`)
    const read = readerOf(key, flag, wrong)
    if (read) option.argParser(read)
    added.addOption(option)
  }
  added.option('--json', 'print one JSON document')
  added.action(async () => {
    // --json is about the output, not part of the request.
    const { json: _, ...given } = added.opts()
    const values = {
      ...given,
      ...Object.fromEntries(named.map((key, i) => [key, added.processedArgs[i]]))
    } as ValuesOf<F>
    refuseWrong(command.flags, values, wrong)
    const { store } = values as { store?: string }
    const work = command.run(values, terminal)
    const document = await (command.settles && store !== undefined ? sayWaitingFor(work, store, terminal) : work).catch(
      (err: unknown) => {
        throw nameFlags(err, command.flags, command.fields)
      }
    )
    if (document) terminal.answer(document, () => command.show(document, values))
  })
  return added
}

function sayWaitingFor<T>(work: Promise<T>, store: string, { api, err }: Terminal): Promise<T> {
  return sayWaiting(work, { say: (line) => err.write(line), look: () => whatItWaitsFor(api(), store) })
}

/** Of a wrong value an error repeats so much. */
const MAX_ECHOED = 100

/** Reads a value, and keeps what is wrong with it for the end: commander would stop at the first wrong flag. */
function readerOf(
  key: string,
  { written, read }: Flag<unknown>,
  wrong: Map<string, string>
): ((given: string, before: unknown) => unknown) | undefined {
  if (!read) return undefined
  return (given, before) => {
    try {
      return read(given, before)
    } catch (err) {
      if (!(err instanceof InvalidArgumentError)) throw err
      const name = written.split(' ')[0]
      wrong.set(
        key,
        given.trim() === ''
          ? `${name} is empty. ${err.message}`
          : `${name} cannot be '${beginningOf(given, MAX_ECHOED)}'. ${err.message}`
      )
      return undefined
    }
  }
}

/** Refuses a change without any of these flags. */
export function requireOneOf(flags: Flags, given: Record<string, unknown>): void {
  if (Object.keys(flags).some((key) => given[key] !== undefined)) return
  const names = Object.values(flags).map(({ written }) => written.split(' ')[0])
  throw badUsage(`At least one of these flags is required: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`)
}

/** Refuses wrong values and missing flags, all at once. */
function refuseWrong<F extends Flags>(flags: F, values: ValuesOf<F>, wrong: Map<string, string>): void {
  const missing = Object.entries(flags)
    .filter(([key, flag]) => flag.needed && values[key] === undefined && !wrong.has(key))
    .map(([, { written, accepts }]) => `${written.split(' ')[0]} is required: ${accepts}`)
  const problems = [...wrong.values(), ...missing]
  if (problems.length === 0) return
  throw badUsage(problems.map((problem) => problem.replace(/\.$/, '')).join('; '))
}
