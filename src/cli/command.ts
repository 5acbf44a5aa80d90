import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AdminApi, Document } from './admin-api.ts'
import { badUsage } from './command-error.ts'
import type { Flag, Flags, ValuesOf } from './flags.ts'

/** What commands are given; how a document is printed is decided here, once, for all of them. */
export type Terminal = {
  /** Looked up when a command first needs it, so that bad flags are told without a server. */
  api: () => AdminApi
  /** Progress and remarks: never part of the answer. */
  err: NodeJS.WriteStream
  answer(document: Document, shown: () => string): void
  /** For commands that speak while they run. */
  out: NodeJS.WriteStream
  json: boolean
  /** The command did what was asked, and what it found is bad news. */
  failed(): void
}

type CommandOf<F extends Flags> = {
  name: string
  summary: string
  flags: F
  /** Null: the command has said itself what there was to say. */
  run: (values: ValuesOf<F>, terminal: Terminal) => Promise<Document | null>
  /** The answer for people. */
  show: (document: Document, values: ValuesOf<F>) => string
}

/** Adds a command under `parent`. `--json` comes with each. */
export function addCommand<F extends Flags>(parent: Command, terminal: Terminal, command: CommandOf<F>): Command {
  const added = parent.command(command.name).description(command.summary)
  const named = Object.keys(command.flags).filter((key) => command.flags[key]!.written === `<${key}>`)
  // Optional to commander, so that one that is missing is told in our words.
  for (const key of named) added.argument(`[${key}]`, command.flags[key]!.accepts, readerOf(command.flags[key]!))
  if (named.length > 0) added.usage(`${named.map((key) => `<${key}>`).join(' ')} [options]`)
  for (const [key, flag] of Object.entries(command.flags)) {
    if (named.includes(key)) continue
    const { written, accepts, needed } = flag
    const option = new Option(written, needed ? `${accepts} (needed)` : accepts)
    if (option.attributeName() !== key) throw new Error(`${written} is read as ${option.attributeName()}, not ${key}`)
    const read = readerOf(flag)
    if (read) option.argParser(read)
    added.addOption(option)
  }
  added.option('--json', 'print one JSON document')
  added.action(async () => {
    // How the answer is printed is no part of what is asked.
    const { json: _, ...given } = added.opts()
    const values = {
      ...given,
      ...Object.fromEntries(named.map((key, i) => [key, added.processedArgs[i]]))
    } as ValuesOf<F>
    refuseMissing(command.flags, values)
    const document = await command.run(values, terminal)
    if (document) terminal.answer(document, () => command.show(document, values))
  })
  return added
}

/** Commander would repeat what was given, of which an empty text leaves nothing to read. */
function readerOf({ written, read }: Flag<unknown>): ((given: string) => unknown) | undefined {
  if (!read) return undefined
  return (given) => {
    try {
      return read(given)
    } catch (err) {
      if (!(err instanceof InvalidArgumentError && given.trim() === '')) throw err
      throw badUsage(`${written.split(' ')[0]} is empty. ${err.message}`)
    }
  }
}

/** Refuses a change that names nothing, by the flags that it could have. */
export function requireOneOf(flags: Flags, given: Record<string, unknown>): void {
  if (Object.keys(flags).some((key) => given[key] !== undefined)) return
  const names = Object.values(flags).map(({ written }) => written.split(' ')[0])
  throw badUsage(`Something to change is needed: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`)
}

function refuseMissing<F extends Flags>(flags: F, values: ValuesOf<F>): void {
  const missing = Object.entries(flags).filter(([key, flag]) => flag.needed && values[key] === undefined)
  if (missing.length === 0) return
  throw badUsage(
    `${missing.map(([, { written, accepts }]) => `${written.split(' ')[0]} is needed: ${accepts}`).join('; ')}`
  )
}
