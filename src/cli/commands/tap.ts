import { once } from 'node:events'
import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { badUsage } from '../command-error.ts'
import { readState, runTap } from '../data/run-tap.ts'
import { catalogOf, selectedStreams } from '../data/singer-catalog.ts'
import { jsonFile, optional, toggle } from '../flags.ts'
import { sourceOf } from './data-source-flags.ts'
import type { DataParts } from './export.ts'

const CONFIG = ['shop', 'key', 'start_date', 'proxy_secret'] as const

/** A tap of Singer (https://hub.meltano.com/singer/spec): the rows of the Data API as messages on standard output. */
export function addTapCommand(program: Command, terminal: Terminal, parts: DataParts): void {
  addCommand(program, terminal, {
    name: 'tap',
    summary: 'a Singer tap: write the rows of the Data API as SCHEMA, RECORD and STATE messages',
    flags: {
      config: optional('--config <file>', jsonFile('shop, key and perhaps start_date and proxy_secret')),
      state: optional('--state <file>', jsonFile('the last STATE of an earlier run')),
      catalog: optional('--catalog <file>', jsonFile('the streams to read, as --discover prints them')),
      discover: toggle('--discover', 'print the catalog; needs no config')
    },
    run: async ({ config, state, catalog, discover = false }, { env, out, err }) => {
      const endpoints = await parts.dataEndpoints()
      if (discover) {
        out.write(`${JSON.stringify(catalogOf(endpoints), null, 2)}\n`)
        return null
      }
      const { shop, key, start_date: startDate, proxy_secret: proxySecret } = readConfig(config)
      const say = (line: string) => void err.write(`${line}\n`)
      await runTap({
        source: sourceOf({ shop: shop!, key: key!, proxySecret }, { env, say }),
        streams: selectedStreams(endpoints, catalog),
        state: readState(state),
        startDate,
        say,
        emit: async (messages) => {
          const text = messages.map((message) => `${JSON.stringify(message)}\n`).join('')
          if (!out.write(text)) await once(out, 'drain')
        }
      })
      return null
    },
    show: () => ''
  })
}

function readConfig(config: object | undefined): Partial<Record<(typeof CONFIG)[number], string>> {
  if (!config) throw badUsage('--config is required: a file with shop and key')
  const problems = Object.entries(config).flatMap(([name, value]) => {
    if (!(CONFIG as readonly string[]).includes(name)) return [`${name} is not a field of it`]
    if (typeof value !== 'string' || value === '') return [`${name} must be a text`]
    if (name === 'start_date' && !/^\d{4}-\d{2}-\d{2}/.test(value)) return [`${name} must be a day such as 2026-01-31`]
    return []
  })
  for (const name of ['shop', 'key']) if (!(name in config)) problems.push(`${name} is required`)
  if (problems.length > 0) throw badUsage(`--config: ${problems.join('; ')}`)
  const given = config as Record<string, string>
  // Tools write instants there; the API takes days.
  return { ...given, ...(given.start_date !== undefined && { start_date: given.start_date.slice(0, 10) }) }
}
