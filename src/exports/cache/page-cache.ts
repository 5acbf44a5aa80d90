import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import type { Database } from '#kit/postgres'
import type { ExportWorkers } from '../bytes/export-workers.ts'
import type { Encoding } from '../bytes/messages.ts'
import type { EndpointName, PageIds, PlannedPage } from '../endpoint.ts'
import { endpointOf } from '../endpoints/all.ts'
import { instantLiteral } from '../format-fields.ts'
import type { FactCursor } from './fact-cursor.ts'
import { findNextExpiry, type Look, lookAtStore } from './look-at-store.ts'
import { PageFile } from './page-file.ts'
import { hasOneOf } from './touched-rows.ts'

const MAX_BYTES = 256 << 20
const MAX_PAGES = 500
/** A page whose rows are named one by one is kept up to so many: the list stays in memory. */
const MOST_LISTED = 1_000
/** One page may take so much of it. */
const PAGE_SHARE = 0.25
/** What was not asked for in this time is dropped: it may be about somebody who was erased meanwhile. */
const UNUSED_MS = 600_000

export type PageCacheOptions = {
  db: Database
  exports: ExportWorkers
  /** Where the bytes are, in files without a name; the folder of temporary files when left out. */
  folder?: string
  /** 256 MiB when left out; 0: nothing is kept. */
  maxBytes?: number
  onPage?: (from: 'cache' | 'database') => void
}

export type PageCache = {
  /** The bytes of a page: kept ones if no row of the page has changed since they were read. Errors are those of `ExportWorkers.stream`. */
  open(page: PlannedPage, options: { encoding: Encoding; signal: AbortSignal }): Promise<Readable>
  close(): void
}

/** `until`: when it changes although nothing happens (store time); null: never. */
type Kept = {
  key: string
  storeId: number
  endpoint: EndpointName
  page: PageIds
  until: Temporal.Instant | null
  file: PageFile
  usedAtMs: number
}
type Store = {
  cursor: FactCursor | null
  version: string
  pages: Map<string, Kept>
  /** The last of the looks at it, which follow each other, and how many have not ended. */
  looking: Promise<unknown>
  looks: number
}

/**
 * Keeps the bytes of pages that were read, within a bound, the one that was used last for longest. At each request the facts that were
 * committed meanwhile say which pages have changed, so that a kept page is what the database would return now.
 */
export function createPageCache({
  db,
  exports,
  folder = tmpdir(),
  maxBytes = MAX_BYTES,
  onPage
}: PageCacheOptions): PageCache {
  const stores = new Map<number, Store>()
  /** All pages of all stores, least used first. */
  const all = new Map<string, Kept>()

  const drop = (kept: Kept) => {
    if (all.get(kept.key) !== kept) return
    all.delete(kept.key)
    stores.get(kept.storeId)?.pages.delete(kept.key)
    kept.file.drop()
  }
  const markUsed = (kept: Kept) => {
    kept.usedAtMs = performance.now()
    // It may have been dropped meanwhile.
    if (all.get(kept.key) === kept && all.delete(kept.key)) all.set(kept.key, kept)
  }
  const keepWithin = () => {
    let bytes = 0
    for (const { file } of all.values()) bytes += file.bytes
    for (const kept of all.values()) {
      if (bytes <= maxBytes && all.size <= MAX_PAGES) return
      bytes -= kept.file.bytes
      drop(kept)
    }
  }
  const dropUnused = () => {
    const before = performance.now() - UNUSED_MS
    for (const kept of all.values()) if (kept.usedAtMs < before) drop(kept)
    for (const [storeId, { pages, looks }] of stores) if (pages.size + looks === 0) stores.delete(storeId)
  }
  const timer = setInterval(dropUnused, UNUSED_MS / 10).unref()

  const takeLook = (store: Store, { cursor, version, touched }: Look) => {
    for (const kept of [...store.pages.values()]) {
      const rows = touched?.get(kept.endpoint)
      if (!rows || version !== store.version || hasOneOf(kept.page, rows)) drop(kept)
    }
    store.cursor = cursor
    store.version = version
  }

  const storeOf = (storeId: number): Store => {
    const store = stores.get(storeId) ?? {
      cursor: null,
      version: '',
      pages: new Map(),
      looking: Promise.resolve(),
      looks: 0
    }
    stores.set(storeId, store)
    return store
  }
  /** One at a time in a store: what a look finds is applied to the pages that were there when it began. */
  const inTurn = async <T>(store: Store, work: () => Promise<T>): Promise<T> => {
    store.looks++
    const mine = store.looking.then(work)
    store.looking = mine.catch(() => {})
    try {
      return await mine
    } finally {
      store.looks--
    }
  }

  /** The kept page, or a new one that the caller is to fill (`isNew`); null when nothing is to be kept. */
  const find = (planned: PlannedPage, page: PageIds, encoding: Encoding) => {
    const { storeId, endpoint, now, select } = planned
    const store = storeOf(storeId)
    const nowText = instantLiteral(now)
    return inTurn(store, async () => {
      const names = new Set([...store.pages.values()].map((kept) => kept.endpoint))
      const { until, at, ...found } = await db.inStore(storeId, async (ctx) => ({
        ...(await lookAtStore(ctx, store, [...names].map(endpointOf))),
        until: select.includes(nowText) ? await findNextExpiry(ctx, Temporal.Instant.from(now)) : null,
        at: ctx.now
      }))
      takeLook(store, found)
      const key = keyOf(planned, encoding, nowText)
      const kept = store.pages.get(key)
      if (kept?.until && Temporal.Instant.compare(kept.until, at) <= 0) drop(kept)
      else if (kept) return { kept, isNew: false }
      if (!store.cursor) return null
      const added = { key, storeId, endpoint, page, until, file: new PageFile(), usedAtMs: performance.now() }
      store.pages.set(key, added)
      all.set(key, added)
      return { kept: added, isNew: true }
    })
  }

  return {
    async open(planned, { encoding, signal }) {
      const { endpoint: _, page, now: __, ...plan } = planned
      const found = maxBytes > 0 && mayBeKept(page) ? await find(planned, page, encoding) : null
      if (found && !found.isNew) {
        markUsed(found.kept)
        if (found.kept.file.isWhole) {
          onPage?.('cache')
          return found.kept.file.read()
        }
      }
      onPage?.('database')
      const own = found?.isNew ? found.kept : null
      try {
        const source = await exports.stream(plan, { encoding, signal })
        if (!own) return source
        const onEnd = () => (own.file.isWhole ? keepWithin() : drop(own))
        return own.file.keep(source, { folder, maxBytes: maxBytes * PAGE_SHARE, onEnd })
      } catch (err) {
        if (own) drop(own)
        throw err
      }
    },
    close() {
      clearInterval(timer)
      for (const kept of [...all.values()]) drop(kept)
    }
  }
}

const mayBeKept = (page: PageIds | null): page is PageIds =>
  page !== null && !('ids' in page && page.ids.length > MOST_LISTED)

/** The text of a plan is the same only where its rows, fields and filters are; the time in it is that of the request. */
function keyOf(
  { storeId, timeZone, select, head, tail, columns }: PlannedPage,
  encoding: Encoding,
  nowText: string
): string {
  const parts = [storeId, encoding, timeZone, head, tail, columns, select.replaceAll(nowText, 'now')]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
