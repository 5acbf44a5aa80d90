import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { badUsage, CommandError } from '../command-error.ts'
import type { DataEndpoint } from '../data/endpoint.ts'
import { openProgress } from '../data/export-progress.ts'
import { type Exported, exportRows, FORMATS } from '../data/export-rows.ts'
import { showRows } from '../data/show-rows.ts'
import { list, oneOf, optional, text, toggle } from '../flags.ts'
import { table } from '../print.ts'
import { dataSourceFlags, sourceOf } from './data-source-flags.ts'

/** What the Data API has; passed in, because the command line imports nothing of the service. */
export type DataParts = { dataEndpoints(): Promise<DataEndpoint[]> }

const day = {
  accepts: 'a day of the shop such as 2026-01-31',
  read: (given: string): string => {
    try {
      if (/^\d{4}-\d{2}-\d{2}$/.test(given)) return Temporal.PlainDate.from(given, { overflow: 'reject' }).toString()
    } catch {
      // Said below, as of any other text.
    }
    throw new InvalidArgumentError('It must be a day of the shop such as 2026-01-31.')
  }
}

/** Writes the rows of the Data API to files. */
export function addExportCommand(program: Command, terminal: Terminal, parts: DataParts): void {
  addCommand(program, terminal, {
    name: 'export',
    summary: 'write the rows of the Data API to CSV, NDJSON or Parquet files; goes on after an interruption',
    flags: {
      ...dataSourceFlags,
      endpoints: optional('--endpoints <names>', list('endpoints such as orders,customers (default: all seven)')),
      format: optional('--format <format>', { ...oneOf(...FORMATS), accepts: 'csv, ndjson or parquet (default: csv)' }),
      to: optional('--to <folder>', text('the folder of the files (default: this one)')),
      sinceDate: optional('--since-date <day>', day),
      sinceUpdated: optional('--since-updated <day>', day),
      restart: toggle('--restart', 'begin again where an export was interrupted')
    },
    run: async (given, { env, err }) => {
      const { format = 'csv', sinceDate, sinceUpdated, restart = false } = given
      const endpoints = named(await parts.dataEndpoints(), given.endpoints)
      const folder = resolve(given.to ?? '.')
      const filters = {
        ...(sinceDate !== undefined && { since_date: sinceDate }),
        ...(sinceUpdated !== undefined && { since_updated: sinceUpdated })
      }
      for (const { name, filters: known } of endpoints) {
        const ignored = Object.keys(filters).filter((filter) => !known.includes(filter))
        if (given.endpoints && ignored.length > 0) throw badUsage(`${name} has no ${ignored.join(' and no ')}`)
      }
      const say = (line: string) => void err.write(`${line}\n`)
      const source = sourceOf(given, { env, say })
      await mkdir(folder, { recursive: true }).catch((refused: Error) => {
        throw new CommandError('invalid_request', `${folder} cannot be used: ${refused.message}`)
      })
      const of = { shop: source.name, format, endpoints: endpoints.map(({ name }) => name).join(','), ...filters }
      const progress = await openProgress(folder, of, restart)
      const data: Exported[] = []
      for (const endpoint of endpoints) {
        const shown = showRows(err, endpoint.name)
        const options = { source, endpoint, filters, folder, format, progress }
        data.push(await exportRows({ ...options, step: shown.step, say: shown.say }).finally(shown.end))
      }
      await progress.remove()
      return { data }
    },
    show: table(['endpoint', 'rows', 'bytes', 'file'], 'Nothing was exported.')
  })
}

function named(all: DataEndpoint[], names: string[] | undefined): DataEndpoint[] {
  const unknown = (names ?? []).filter((name) => !all.some((endpoint) => endpoint.name === name))
  if (unknown.length > 0) {
    throw badUsage(`--endpoints cannot be ${unknown.join(', ')}: there are ${all.map(({ name }) => name).join(', ')}`)
  }
  return names ? all.filter(({ name }) => names.includes(name)) : all
}
