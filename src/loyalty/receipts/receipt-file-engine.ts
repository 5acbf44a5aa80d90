import { dueQuery, type Engine, nextDueBy } from '#kit/engines'
import { mapConcurrently } from '#kit/map-concurrently'
import { type Database, directSql } from '#kit/postgres'
import { claimDueFiles, deleteFiles } from './receipt-file-queries.ts'
import type { ReceiptFiles } from './receipt-files.ts'

const BATCH = 50
const AT_ONCE = 4

/**
 * Removes files of receipts from their storage: those of erased customers, those whose time is over, and those of uploads that have come to
 * nothing, also by a crash. A row stays until its file is gone.
 */
export function createReceiptFileEngine({ db, receiptFiles }: { db: Database; receiptFiles: ReceiptFiles }): Engine {
  return {
    name: 'loyalty-receipt-files',
    stage: 'others',
    due: dueFiles,
    ...nextDueBy(db, nextFile),
    async runOnce(storeId) {
      const names = await db.inStore(storeId, (ctx) => claimDueFiles(ctx, BATCH))
      if (names.length === 0) return 0
      await mapConcurrently(names, AT_ONCE, (name) => receiptFiles.remove(storeId, name))
      await db.inStore(storeId, (ctx) => deleteFiles(ctx, names))
      return names.length
    }
  }
}

const dueFiles = dueQuery(
  'loyalty_receipt_files_due',
  `select f.store_id, min(f.due_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join loyalty_receipt_files f on f.store_id = s.store_id and f.due_at <= s.until group by f.store_id`
)

const nextFile = directSql<[storeId: number]>(
  'loyalty_receipt_files_next',
  'select min(due_at) as at from loyalty_receipt_files where store_id = $1 and due_at is not null'
)
