import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AdminApi, Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { argument, oneOf, optional, text, wholeNumber } from '../flags.ts'
import { facts, table } from '../print.ts'
import { showProgress } from '../show-progress.ts'
import { storeFlag, storePath } from './store-flag.ts'

/** How often to look how far it is: less often the longer it takes, since each look counts what is left. */
const LOOK_AFTER_MS = { first: 500, growth: 1.2, most: 5_000 }
const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

const importFlag = argument('<import>', text('the id of an import such as imp_3'))
const begins = {
  mode: optional('--mode <mode>', {
    ...oneOf('live', 'paused'),
    accepts: 'live or paused: how contracts begin, unless their row says (default: live)'
  }),
  pausedUntil: optional(
    '--paused-until <time>',
    text('with --mode paused: a date such as 2026-01-31 (midnight in the shop) or 2026-01-31T12:00:00Z')
  )
}

/** Moving contracts here that others have billed so far. */
export function addImportCommands(program: Command, terminal: Terminal): void {
  const imports = program.command('import').description('take over contracts that others have billed so far')

  addCommand(imports, terminal, {
    name: 'file',
    summary: 'take over what a CSV or NDJSON file names; the same file again goes on where it stopped',
    flags: {
      path: argument('<path>', text('a file')),
      store: storeFlag,
      format: optional('--format <format>', {
        ...oneOf('csv', 'ndjson'),
        accepts: 'csv or ndjson (default: by the name of the file)'
      }),
      ...begins
    },
    run: async ({ path, store, format, mode, pausedUntil }, { api, err, failed }) => {
      const source = format ?? (/\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv')
      const sha256 = await hashOf(path)
      const server = api()
      const requested = { source, mode, paused_until: pausedUntil, sha256 }
      const begun = await server.post(storePath(store, '/imports'), requested)
      err.write(`Sending ${path} as ${begun.id}\n`)
      try {
        await server.sendFile(importPath(store, begun.id, '/rows'), createReadStream(path), TYPES[source])
      } catch (error) {
        await endUnread(server, store, begun.id, error)
        throw error
      }
      return toItsEnd(server, store, begun, { err, failed })
    },
    show: (done, { store }) => shown(done, store)
  })

  addCommand(imports, terminal, {
    name: 'platform',
    summary: 'take over every contract that the platform has and that is not over',
    flags: { store: storeFlag, ...begins },
    run: async ({ store, mode, pausedUntil }, { api, err, failed }) => {
      const server = api()
      const requested = { source: 'platform', mode, paused_until: pausedUntil }
      return toItsEnd(server, store, await server.post(storePath(store, '/imports'), requested), { err, failed })
    },
    show: (done, { store }) => shown(done, store)
  })

  addCommand(imports, terminal, {
    name: 'list',
    summary: 'the imports of a store, newest first',
    flags: {
      store: storeFlag,
      limit: optional('--limit <n>', { ...wholeNumber(1, 100), accepts: 'how many, from 1 to 100 (default: 50)' })
    },
    run: ({ store, limit }, { api }) => api().get(storePath(store, `/imports${limit ? `?limit=${limit}` : ''}`)),
    show: table(
      ['id', 'source', 'mode', 'status', 'total', 'created', 'unchanged', 'refused', 'waiting', 'created_at'],
      'Nothing was imported yet.'
    )
  })

  addCommand(imports, terminal, {
    name: 'show',
    summary: 'one import and how far it is',
    flags: { import: importFlag, store: storeFlag },
    run: ({ import: id, store }, { api }) => api().get(importPath(store, id)),
    show: facts
  })

  addCommand(imports, terminal, {
    name: 'refused',
    summary: 'the rows that were refused, each with its fields and the reason',
    flags: {
      import: importFlag,
      store: storeFlag,
      format: optional('--format <format>', { ...oneOf('csv', 'ndjson'), accepts: 'csv or ndjson (default: csv)' })
    },
    run: async ({ import: id, store, format = 'csv' }, { api, out, json }) => {
      const report = await api().readFile(importPath(store, id, `/refused?format=${json ? 'ndjson' : format}`))
      if (json) return { data: await Array.fromAsync(createInterface({ input: report }), (line) => JSON.parse(line)) }
      await pipeline(report, out, { end: false })
      return null
    },
    show: facts
  })

  addCommand(imports, terminal, {
    name: 'cancel',
    summary: 'stop an import; what it has taken over stays',
    flags: { import: importFlag, store: storeFlag },
    run: ({ import: id, store }, { api }) => api().post(importPath(store, id, '/cancel'), {}),
    show: facts
  })
}

function importPath(store: string, id: unknown, rest = ''): string {
  return storePath(store, `/imports/${encodeURIComponent(String(id))}${rest}`)
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch (err) {
    throw new CommandError('invalid_request', `The file cannot be read: ${(err as Error).message}`)
  }
  return hash.digest('hex')
}

/** A file that was refused before any row of it was read is no import: mended, it is another file. */
async function endUnread(server: AdminApi, store: string, id: unknown, error: unknown): Promise<void> {
  if (!(error instanceof CommandError && error.code === 'invalid_request')) return
  const { total, status } = await server.get(importPath(store, id))
  if (status === 'receiving' && total === 0) await server.post(importPath(store, id, '/cancel'), {})
}

const isOver = ({ status }: Document) => status === 'done' || status === 'failed' || status === 'cancelled'

/** Shows how far the import is until it is over. Bad news is an import that failed, or a row that was refused. */
async function toItsEnd(
  server: AdminApi,
  store: string,
  begun: Document,
  { err, failed }: Pick<Terminal, 'err' | 'failed'>
): Promise<Document> {
  const look = () => server.get(importPath(store, begun.id))
  const progress = await showProgress(err, `Importing ${begun.id}`)
  let now = await look()
  let listed: unknown = 0
  let pause = LOOK_AFTER_MS.first
  for (let error: unknown = null; !isOver(now); now = await look()) {
    const total = Number(now.total)
    const step = { done: total - Number(now.waiting), total: Math.max(total, 1), at: String(now.status) }
    if (now.status === 'running') progress.step(step)
    if (now.status === 'fetching' && now.listed !== listed) {
      listed = now.listed
      err.write(`The platform has listed ${listed} contracts\n`)
    }
    if (now.error !== error && now.error !== null) err.write(`Waiting: ${now.error}\n`)
    error = now.error ?? error
    await sleep(pause)
    pause = Math.min(pause * LOOK_AFTER_MS.growth, LOOK_AFTER_MS.most)
  }
  if (now.status === 'done') progress.end(`Imported ${begun.id}`)
  else progress.fail(`The import ${begun.id} is ${now.status}`)
  if (now.status !== 'done' || Number(now.refused) > 0) failed()
  return now
}

function shown(done: Document, store: string): string {
  const report =
    Number(done.refused) > 0 ? `\nWhy rows were refused:\n  perennial import refused ${done.id} --store ${store}\n` : ''
  return facts(done) + report
}
