import type { Ctx, Database } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { findBeginning, recordReports } from '#orders'
import {
  type Connector,
  DownloadFailed,
  downloadLines,
  lineObject,
  MalformedPayload,
  numericIdOf,
  type PlatformCustomer,
  type PlatformFile,
  type PlatformOrder,
  readBulkContract,
  readBulkCustomer,
  readBulkOrder,
  unwrap
} from '#platform'
import { applyUnreported } from '../reconciler/walk-contracts.ts'
import { type ClaimedReadIn, markLinesRead } from './read-ins.ts'

export type Reading = { db: Database; storeId: number; connector: Connector; claimed: ClaimedReadIn }

/** So many objects are applied at once. Contracts are read from the platform by their ids, as many as one document reads. */
const AT_ONCE = { customers: 500, contracts: 47, orders: 50 }

/** Another process has the part: what it has read stays, and what we would write does not. */
export class ReadInLost extends Error {}

/** An object of the file with what belongs to it, and the line on which it ends. */
type Item = { line: unknown; children: unknown[]; endsAt: number }

/**
 * Applies the file from the place that is stored on, a batch at a time, each with its place in one transaction; the file is never in
 * memory. Stops after `budgetMs`, so that other work of the store gets its turn. Returns whether the file is at its end, and how many
 * lines it has as far as it was read. Throws DownloadFailed.
 */
export async function applyFile(
  reading: Reading,
  file: PlatformFile,
  budgetMs: number
): Promise<{ isOver: boolean; lines: number }> {
  const until = performance.now() + budgetMs
  const { part, linesRead } = reading.claimed
  let lines = 0
  let item: Item | null = null
  let batch: Item[] = []
  const flush = async () => {
    const items = batch
    batch = []
    if (items.length > 0) await applyBatch(reading, items)
  }
  for await (const chunk of downloadLines(file)) {
    for (const text of chunk) {
      if (text === '') continue
      lines++
      if (lines <= linesRead) continue
      const line = lineObject(text)
      const parent = line.__parentId
      if (parent !== undefined) {
        // The platform was asked to write what belongs to an object after it.
        if (item === null || (item.line as { id?: unknown }).id !== parent)
          throw new DownloadFailed('The file of the bulk operation has a line of an object that is not before it')
        item.children.push(line)
        item.endsAt = lines
        continue
      }
      if (item) batch.push(item)
      item = { line, children: [], endsAt: lines }
      if (batch.length < AT_ONCE[part]) continue
      await flush()
      if (performance.now() > until) return { isOver: false, lines }
    }
  }
  if (item) batch.push(item)
  await flush()
  return { isOver: true, lines }
}

async function applyBatch(reading: Reading, items: Item[]): Promise<void> {
  const { db, storeId, connector, claimed } = reading
  const place = {
    linesRead: items.at(-1)!.endsAt,
    seen: items.length,
    skipped: 0,
    skippedReason: null as string | null
  }
  /** What cannot be read holds up nothing else. */
  const readable = <T>(read: (item: Item) => T): T[] =>
    items.flatMap((item) => {
      try {
        return [read(item)]
      } catch (err) {
        if (!(err instanceof MalformedPayload)) throw err
        place.skipped++
        place.skippedReason = `${idOf(item)}: ${err.message}`
        return []
      }
    })
  const withPlace = (write: (ctx: Ctx) => Promise<unknown>) =>
    db.inStore(storeId, async (ctx) => {
      await write(ctx)
      if (!(await markLinesRead(ctx, claimed, place))) throw new ReadInLost(`Another process reads the ${claimed.part}`)
    })
  if (claimed.part === 'customers') {
    const customers = readable(({ line }) => readBulkCustomer(line))
    return withPlace(async (ctx) => {
      const since = (await findBeginning(ctx)) ?? claimed.since
      return upsertCustomers(
        ctx,
        customers.map((customer) => ({ ...customer, isPast: wasBefore(customer, since) }))
      )
    })
  }
  if (claimed.part === 'orders') {
    const orders: PlatformOrder[] = readable(({ line, children }) => readBulkOrder(line, children))
    return withPlace((ctx) => recordReports(ctx, { orders, refunds: [], transactions: [], disputes: [] }, 'platform'))
  }
  const ids = readable(({ line }) => readBulkContract(line))
  const { contracts, unreadable } = unwrap(await connector.contracts.findReadable(ids))
  // In transactions of their own: applying a contract may call the platform. To apply it again changes nothing.
  await applyUnreported({ db, storeId, connector }, [...contracts.values()], unreadable)
  return withPlace(async () => {})
}

/** Whether a customer is new to us only. The platform's times are whole seconds. */
function wasBefore({ createdAt }: PlatformCustomer, since: Temporal.Instant | null): boolean {
  const from = since?.round({ smallestUnit: 'second', roundingMode: 'floor' })
  return !from || !createdAt || Temporal.Instant.compare(createdAt, from) < 0
}

const idOf = ({ line }: Item): string => numericIdOf(String((line as { id?: unknown }).id)) ?? 'an object without an id'
