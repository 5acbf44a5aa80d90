import type { AdminApi, Document } from './admin-api.ts'
import { storePath } from './commands/store-flag.ts'

/** Of the newest deliveries, which are those of what is being done. */
const LOOKED_AT = 100

/** What the work of a store waits for, as far as two quick reads tell: its test clock, and receivers that have not answered. */
export async function whatItWaitsFor(api: AdminApi, store: string): Promise<string> {
  const [{ clock }, { data }] = await Promise.all([
    api.get(storePath(store)),
    api.get(storePath(store, `/webhook-deliveries?status=retrying&limit=${LOOKED_AT}`))
  ])
  const now = typeof clock === 'string' ? Date.parse(clock) : Date.now()
  const due = (data as Document[]).filter(({ next_try_at }) => Date.parse(String(next_try_at)) <= now)
  const receivers = [...new Set(due.map(({ endpoint }) => String(endpoint)))].sort()
  const silent =
    receivers.length === 1
      ? `one receiver has not answered (${receivers[0]})`
      : `${receivers.length} receivers have not answered (${receivers.join(', ')})`
  return [
    ...(typeof clock === 'string' ? [`the test clock is at ${clock}`] : []),
    ...(due.length > 0 ? [silent] : [])
  ].join('; ')
}
