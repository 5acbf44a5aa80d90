import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AdminApi, Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { argument, oneOf, optional, text, toggle, wholeNumber } from '../flags.ts'
import { hashOf } from '../hash-of.ts'
import { facts, table } from '../print.ts'
import { formatOf, rowsFileFlags, sendRows } from '../rows-file.ts'
import { showProgress } from '../show-progress.ts'
import { storeFlag, storePath } from './store-flag.ts'

/** How often the progress is polled: less often the longer it takes, because each poll counts the remaining rows. */
const LOOK_AFTER_MS = { first: 500, growth: 1.2, max: 5_000 }

const importFlag = argument('<import>', text('the id of an import such as imp_3'))
const begins = {
  mode: optional('--mode <mode>', {
    ...oneOf('live', 'paused'),
    accepts: 'live or paused: the initial state of contracts whose row does not set it (default: live)'
  }),
  pausedUntil: optional(
    '--paused-until <time>',
    text('with --mode paused: a date such as 2026-01-31 (midnight in the shop) or 2026-01-31T12:00:00Z')
  )
}

/** Imports of contracts that another service has billed. */
export function addImportCommands(program: Command, terminal: Terminal): void {
  const imports = program.command('import').description('import contracts from another service')

  addCommand(imports, terminal, {
    name: 'file',
    summary: 'import contracts from a CSV or NDJSON file; repeat the command to continue an interrupted import',
    flags: {
      path: rowsFileFlags.path,
      store: storeFlag,
      format: rowsFileFlags.format,
      ...begins,
      allowDuplicates: toggle(
        '--allow-duplicates',
        'accept several rows of one customer and plan that have neither contract_id nor external_id'
      )
    },
    run: async ({ path, store, format, mode, pausedUntil, allowDuplicates }, { api, err, failed }) => {
      const source = formatOf(path, format)
      const sha256 = await hashOf(path)
      const server = api()
      const requested = { source, mode, paused_until: pausedUntil, allow_duplicates: allowDuplicates, sha256 }
      const started = await server.post(storePath(store, '/imports'), requested)
      err.write(`Sending ${path} as ${started.id}\n`)
      try {
        await sendRows(server, importPath(store, started.id, '/rows'), path, source)
      } catch (error) {
        await endUnread(server, store, started.id, error)
        throw error
      }
      return followImport(server, store, started, { err, failed })
    },
    show: (done, { store }) => shown(done, store)
  })

  addCommand(imports, terminal, {
    name: 'platform',
    summary: 'import all contracts on the platform that have not ended',
    flags: { store: storeFlag, ...begins },
    run: async ({ store, mode, pausedUntil }, { api, err, failed }) => {
      const server = api()
      const requested = { source: 'platform', mode, paused_until: pausedUntil }
      return followImport(server, store, await server.post(storePath(store, '/imports'), requested), { err, failed })
    },
    show: (done, { store }) => shown(done, store)
  })

  addCommand(imports, terminal, {
    name: 'list',
    summary: 'list the imports of a store, newest first',
    flags: {
      store: storeFlag,
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of imports, from 1 to 100 (default: 50)'
      })
    },
    run: ({ store, limit }, { api }) => api().get(storePath(store, `/imports${limit ? `?limit=${limit}` : ''}`)),
    show: table(
      ['id', 'source', 'mode', 'status', 'total', 'created', 'unchanged', 'refused', 'waiting', 'created_at'],
      'There are no imports yet.'
    )
  })

  addCommand(imports, terminal, {
    name: 'show',
    summary: 'show an import and its progress',
    flags: { import: importFlag, store: storeFlag },
    run: ({ import: id, store }, { api }) => api().get(importPath(store, id)),
    show: facts
  })

  addCommand(imports, terminal, {
    name: 'refused',
    summary: 'print the refused rows, each with its fields and the reason',
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
    summary: 'stop an import; contracts that are already imported stay',
    flags: { import: importFlag, store: storeFlag },
    run: ({ import: id, store }, { api }) => api().post(importPath(store, id, '/cancel'), {}),
    show: facts
  })
}

function importPath(store: string, id: unknown, rest = ''): string {
  return storePath(store, `/imports/${encodeURIComponent(String(id))}${rest}`)
}

/** Cancels an import whose file was refused before any row was read: the corrected file is a new import. */
async function endUnread(server: AdminApi, store: string, id: unknown, error: unknown): Promise<void> {
  if (!(error instanceof CommandError && error.code === 'invalid_request')) return
  const { total, status } = await server.get(importPath(store, id))
  if (status === 'receiving' && total === 0) await server.post(importPath(store, id, '/cancel'), {})
}

const isOver = ({ status }: Document) => status === 'done' || status === 'failed' || status === 'cancelled'

/** Shows the progress of the import until it ends. The command fails when the import failed or a row was refused. */
async function followImport(
  server: AdminApi,
  store: string,
  started: Document,
  { err, failed }: Pick<Terminal, 'err' | 'failed'>
): Promise<Document> {
  const look = () => server.get(importPath(store, started.id))
  const progress = await showProgress(err, `Importing ${started.id}`)
  let now = await look()
  let listed: unknown = 0
  let pause = LOOK_AFTER_MS.first
  for (let error: unknown = null; !isOver(now); now = await look()) {
    const total = Number(now.total)
    const step = { done: total - Number(now.waiting), total: Math.max(total, 1), at: String(now.status) }
    if (now.status === 'running') progress.step(step)
    if (now.status === 'fetching' && now.listed !== listed) {
      listed = now.listed
      err.write(`${listed} contracts listed by the platform\n`)
    }
    if (now.error !== error && now.error !== null) err.write(`Waiting: ${now.error}\n`)
    error = now.error ?? error
    await sleep(pause)
    pause = Math.min(pause * LOOK_AFTER_MS.growth, LOOK_AFTER_MS.max)
  }
  if (now.status === 'done') progress.end(`Imported ${started.id}`)
  else progress.fail(`The import ${started.id} is ${now.status}`)
  if (now.status !== 'done' || Number(now.refused) > 0) failed()
  return now
}

function shown(done: Document, store: string): string {
  const report =
    Number(done.refused) > 0
      ? `\nTo see why rows were refused:\n  perennial import refused ${done.id} --store ${store}\n`
      : ''
  return facts(done) + report
}
