import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import type { Database } from '#kit/postgres'
import { type ExportWorkers, MAX_PER_STORE } from '../bytes/export-workers.ts'
import type { Encoding } from '../bytes/messages.ts'
import { TooManyExports } from '../bytes/refusals.ts'
import type { EndpointName, PageIds, PlannedPage, WantedPage } from '../endpoint.ts'
import { endpointOf } from '../endpoints/all.ts'
import { instantLiteral } from '../format-fields.ts'
import { planPage } from '../plan-page.ts'
import type { FactCursor } from './fact-cursor.ts'
import { findNextExpiry, type Look, lookAtStore } from './look-at-store.ts'
import { PageFile } from './page-file.ts'
import { hasOneOf } from './touched-rows.ts'

const MAX_BYTES = 256 << 20
const MAX_PAGES = 500
/** A page whose rows are named one by one is kept up to so many: the list stays in memory. */
const MAX_LISTED = 1_000
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
  /**
   * The bytes of a page: kept ones if no row of the page has changed since they were read. `readAt`: a time of the store before the rows were
   * read. Errors are those of `planPage` and of `ExportWorkers.stream`; also kept pages count as exports that a store has at once. When the
   * signal aborts, the page is given up.
   */
  open(wanted: WantedPage, options: { encoding: Encoding; signal: AbortSignal }): Promise<OpenPage>
  close(): void
}

export type OpenPage = { bytes: Readable; readAt: Temporal.Instant }

/** `until`: when it changes although nothing happens (store time); null: never. `asked`: the request that means it, as long as that is sure. */
type Kept = {
  key: string
  asked: string | null
  staysWhile: PlannedPage['staysWhile']
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
  /** The last of the looks at it, which follow each other, how many have not ended, and how many were taken. */
  looking: Promise<unknown>
  looks: number
  taken: number
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
  /** How many pages each store has open, from the request until the last byte. */
  const opened = new Map<number, number>()
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
      else if (rows.length > 0 && kept.staysWhile === 'all rows stay') kept.asked = null
    }
    store.cursor = cursor
    store.version = version
    store.taken++
  }

  const storeOf = (storeId: number): Store => {
    const store = stores.get(storeId) ?? {
      cursor: null,
      version: '',
      pages: new Map(),
      looking: Promise.resolve(),
      looks: 0,
      taken: 0
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

  /** Drops what has changed. `kept`: the page that this request is known to mean. */
  const look = (store: Store, { storeId }: WantedPage, asked: string) =>
    inTurn(store, async () => {
      const names = new Set([...store.pages.values()].map((kept) => kept.endpoint))
      const { at, ...found } = await db.inStore(storeId, async (ctx) => ({
        ...(await lookAtStore(ctx, store, [...names].map(endpointOf))),
        at: ctx.now
      }))
      takeLook(store, found)
      for (const kept of [...store.pages.values()])
        if (kept.until && Temporal.Instant.compare(kept.until, at) <= 0) drop(kept)
      const kept = [...store.pages.values()].find((one) => one.asked === asked) ?? null
      return { at, taken: store.taken, kept }
    })

  /** The kept page, or a new one that the caller is to fill (`isNew`); null when nothing is to be kept. Planned after `taken` looks. */
  const find = async (
    store: Store,
    planned: PlannedPage,
    { asked, taken, encoding }: { asked: string; taken: number; encoding: Encoding }
  ) => {
    const { storeId, endpoint, now, select, page, staysWhile } = planned
    if (!mayBeKept(page) || !store.cursor) return null
    const nowText = instantLiteral(now)
    const until = select.includes(nowText)
      ? await db.inStore(storeId, (ctx) => findNextExpiry(ctx, Temporal.Instant.from(now)))
      : null
    // Nothing of the store was kept for long, and another one has taken its place meanwhile.
    if (stores.get(storeId) !== store) return null
    const key = keyOf(planned, encoding, nowText)
    const kept = store.pages.get(key)
    const isNew = kept === undefined
    const found = kept ?? {
      key,
      asked: null,
      staysWhile,
      storeId,
      endpoint,
      page,
      until,
      file: new PageFile(),
      usedAtMs: performance.now()
    }
    if (isNew) {
      store.pages.set(key, found)
      all.set(key, found)
    }
    // What was noticed since the plan was made may have changed which rows are meant.
    if (staysWhile && taken === store.taken) {
      for (const other of store.pages.values()) if (other.asked === asked) other.asked = null
      found.asked = asked
    }
    return { kept: found, isNew }
  }

  /** Null: it is not whole yet, or was dropped. */
  const read = (kept: Kept): Readable | null => {
    markUsed(kept)
    if (!kept.file.isWhole) return null
    onPage?.('cache')
    return kept.file.read()
  }
  const copy = (planned: PlannedPage, options: { encoding: Encoding; signal: AbortSignal }): Promise<Readable> => {
    onPage?.('database')
    const { endpoint: _, page: __, now: ___, staysWhile: ____, ...plan } = planned
    return exports.stream(plan, options)
  }

  const enter = (storeId: number): (() => void) => {
    const count = opened.get(storeId) ?? 0
    if (count >= MAX_PER_STORE) throw new TooManyExports(MAX_PER_STORE)
    opened.set(storeId, count + 1)
    return () => {
      const left = opened.get(storeId)! - 1
      if (left === 0) opened.delete(storeId)
      else opened.set(storeId, left)
    }
  }

  const openPage = async (wanted: WantedPage, options: { encoding: Encoding; signal: AbortSignal }) => {
    const { storeId, endpoint, request } = wanted
    const { encoding } = options
    const plan = () => planPage(db, storeId, endpoint, request)
    if (maxBytes === 0) {
      const planned = await plan()
      return { bytes: await copy(planned, options), readAt: Temporal.Instant.from(planned.now) }
    }
    const store = storeOf(storeId)
    const asked = JSON.stringify([endpoint.name, endpoint.pageSize, encoding, request])
    const { at: readAt, taken, kept } = await look(store, wanted, asked)
    const known = kept && read(kept)
    if (known) return { bytes: known, readAt }
    const planned = await plan()
    const found = await find(store, planned, { asked, taken, encoding })
    const same = found && !found.isNew && read(found.kept)
    if (same) return { bytes: same, readAt }
    if (!found?.isNew) return { bytes: await copy(planned, options), readAt }
    const { file } = found.kept
    try {
      const source = await copy(planned, options)
      const onEnd = () => (file.isWhole ? keepWithin() : drop(found.kept))
      return { bytes: file.keep(source, { folder, maxBytes: maxBytes * PAGE_SHARE, onEnd }), readAt }
    } catch (err) {
      drop(found.kept)
      throw err
    }
  }

  return {
    async open(wanted, options) {
      const leave = enter(wanted.storeId)
      try {
        const page = await openPage(wanted, options)
        page.bytes.once('close', leave)
        const giveUp = () => page.bytes.destroy()
        options.signal.addEventListener('abort', giveUp, { once: true })
        if (options.signal.aborted) giveUp()
        return page
      } catch (err) {
        leave()
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
  page !== null && !('ids' in page && page.ids.length > MAX_LISTED)

/** The text of a plan is the same only where its rows, fields and filters are; the time in it is that of the request. */
function keyOf(
  { storeId, timeZone, select, head, tail, columns }: PlannedPage,
  encoding: Encoding,
  nowText: string
): string {
  const parts = [storeId, encoding, timeZone, head, tail, columns, select.replaceAll(nowText, 'now')]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
