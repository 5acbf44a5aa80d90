import type { Database } from '#kit/postgres'
import type { Shop } from '../shop.ts'

export async function runBulkOperation(_db: Database, _shop: Shop, _now: Temporal.Instant): Promise<number> {
  return 0
}
