import { badUsage } from '../command-error.ts'
import type { DataSource } from './data-source.ts'
import { filtersOf, otherFields, type Row } from './endpoint.ts'
import { firstPlace, type ReadPage, readPages } from './read-pages.ts'
import { type Stream, streamName, streamSchema } from './singer-catalog.ts'

/**
 * Where a stream is. `since_id`: the last row read, of a stream whose rows are only added. `since_updated`: the day from which on changes
 * are read. `run`: a run that was interrupted; it goes on after `since_id`, and `next` is the day for the run after it.
 */
type Bookmark = { since_id?: number; since_updated?: string; run?: { since_id: number; next: string } }

export type TapState = { bookmarks: Record<string, Bookmark>; currently_syncing?: string | null }

type Message =
  | { type: 'SCHEMA'; stream: string; schema: object; key_properties: readonly string[] }
  | { type: 'RECORD'; stream: string; record: Row; time_extracted: string }
  | { type: 'STATE'; value: TapState }

type TapOptions = {
  source: DataSource
  streams: readonly Stream[]
  state: TapState
  /** The first day of the rows of a store, for the streams that have the filter. */
  startDate: string | undefined
  /** Writes messages; resolves when there is room for more. */
  emit: (messages: Message[]) => Promise<void>
  say: (line: string) => void
}

/** A change may be noted while a run begins: it is looked for from so long before it on. */
const OVERLAP = Temporal.Duration.from({ hours: 1 })

/**
 * Writes the streams as messages of Singer. After each page of a stream that can go on comes a STATE, so that what is written is never
 * behind it.
 */
export async function runTap({ streams, state, ...options }: TapOptions): Promise<void> {
  const bookmarks = { ...state.bookmarks }
  const unfinished = streams.findIndex(({ endpoint }) => streamName(endpoint) === state.currently_syncing)
  // The stream in which the last run stopped comes first.
  for (const stream of [...streams.slice(Math.max(0, unfinished)), ...streams.slice(0, Math.max(0, unfinished))]) {
    await runStream(stream, { ...options, bookmarks })
  }
  await options.emit([{ type: 'STATE', value: { bookmarks } }])
}

async function runStream(
  { endpoint, replication, leftOut }: Stream,
  {
    source,
    startDate,
    emit,
    say,
    bookmarks
  }: Omit<TapOptions, 'streams' | 'state'> & { bookmarks: Record<string, Bookmark> }
): Promise<void> {
  const { key } = endpoint
  const stream = streamName(endpoint)
  const before = replication === 'all' ? {} : (bookmarks[stream] ?? {})
  const filters = filtersOf(endpoint, {
    ...(startDate !== undefined && { since_date: startDate }),
    ...(before.since_updated !== undefined && { since_updated: before.since_updated })
  })
  const from = before.run?.since_id ?? before.since_id ?? firstPlace(endpoint)
  let others: string[] | null = null
  let next = before.run?.next
  let rows = 0
  for await (const page of readPages(source, endpoint, filters, from)) {
    const messages: Message[] = []
    const seen = otherFields(endpoint, page.data, others ?? [])
    if (seen.length !== others?.length) {
      messages.push({ type: 'SCHEMA', stream, schema: streamSchema(endpoint, seen, leftOut), key_properties: key })
      others = seen
    }
    const time_extracted = Temporal.Now.instant().toString({ smallestUnit: 'millisecond' })
    for (const row of page.data)
      messages.push({ type: 'RECORD', stream, record: without(row, leftOut), time_extracted })
    next ??= dayOf(page)
    rows += page.data.length
    if (replication !== 'all') {
      bookmarks[stream] = bookmarkAfter(page, replication, before, next)
      messages.push({ type: 'STATE', value: { bookmarks: { ...bookmarks }, currently_syncing: stream } })
    }
    await emit(messages)
  }
  say(`${stream}: ${rows} rows`)
}

function bookmarkAfter(
  { next: place, isLast }: ReadPage,
  how: 'changes' | 'added',
  before: Bookmark,
  next: string
): Bookmark {
  if (how === 'added') return { since_id: place }
  // Within a run the cursor goes on; the next run begins at 0 (spec 2, Cursor style).
  if (isLast) return { since_updated: next }
  return {
    ...(before.since_updated !== undefined && { since_updated: before.since_updated }),
    run: { since_id: place, next }
  }
}

/** The day of the shop from which on the next run reads changes: that of the beginning of this one. */
const dayOf = ({ shopTime, meta }: ReadPage): string =>
  shopTime
    .subtract(OVERLAP)
    .toZonedDateTimeISO(meta.timezone ?? 'UTC')
    .toPlainDate()
    .toString()

const without = (row: Row, leftOut: ReadonlySet<string>): Row =>
  leftOut.size === 0 ? row : Object.fromEntries(Object.entries(row).filter(([name]) => !leftOut.has(name)))

/** The state of an earlier run. Throws where it is none of this tap. */
export function readState(given: object | undefined): TapState {
  if (!given) return { bookmarks: {} }
  const { bookmarks: named = {}, currently_syncing: syncing = null } = given as Partial<TapState>
  // Streams once had the names of endpoints: their bookmarks go on, so that no row is added twice.
  const bookmarks = Object.fromEntries(
    Object.entries(named).map(([name, bookmark]) => [streamName({ name }), bookmark])
  )
  const currently_syncing = syncing === null ? null : streamName({ name: syncing })
  const isPlace = (id: unknown) => id === undefined || (Number.isSafeInteger(id) && (id as number) >= 0)
  const isDay = (day: unknown) => day === undefined || (typeof day === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(day))
  for (const [stream, { since_id, since_updated, run }] of Object.entries(bookmarks)) {
    const isRun = run === undefined || (isPlace(run.since_id) && run.since_id !== undefined && isDay(run.next))
    if (!isPlace(since_id) || !isDay(since_updated) || !isRun) {
      throw badUsage(`--state: the bookmark of ${stream} is not one of this tap: ${JSON.stringify(bookmarks[stream])}`)
    }
  }
  return { bookmarks, currently_syncing }
}
