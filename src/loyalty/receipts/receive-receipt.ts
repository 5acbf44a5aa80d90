import { createHash, randomUUID } from 'node:crypto'
import type { Ctx, Database } from '#kit/postgres'
import { Busy } from '#kit/refusal'
import { lockKeptCustomer } from '#members'
import { notify } from '#stores'
import { writeCounts } from '../earning/count-queries.ts'
import { listStandings } from '../earning/customer-standing.ts'
import { lockLoyalty } from '../lock-loyalty.ts'
import { checkUpload } from './check-upload.ts'
import type { ContentType } from './content/check-content.ts'
import { approveReceipt } from './decide-receipt.ts'
import { type Receipt, receiptCause } from './receipt.ts'
import { discardFile, insertFile, keepFile } from './receipt-file-queries.ts'
import type { ReceiptFiles } from './receipt-files.ts'
import { findReceipt, insertReceipt, type NewReceipt } from './receipt-queries.ts'
import { storageFailed } from './receipt-refusals.ts'

/** Longer than an upload takes: a file without a receipt is removed after it. */
const STORED_WITHIN_MINUTES = 60

/** What a customer sends. */
export type ReceiptUpload = {
  customerId: number
  ruleId: number
  retailer: string
  purchasedOn: Temporal.PlainDate
  number: string | null
  amountMinor: number
  bytes: Buffer
  /** What `checkContent` has found it to be. */
  contentType: ContentType
}

/**
 * Takes a receipt: its file into the storage, and then its row, or neither. The file is announced before it is written, so that whatever
 * becomes of this process, one that has no receipt is removed. Counts it at once where its rule approves receipts; else it waits.
 */
export async function receiveReceipt(
  { db, files }: { db: Database; files: ReceiptFiles },
  storeId: number,
  upload: ReceiptUpload
): Promise<Receipt> {
  const name = randomUUID()
  const contentHash = createHash('sha256').update(upload.bytes).digest('hex')
  await db.inStore(storeId, async (ctx) => {
    await checkUpload(ctx, await receiptOf(ctx, upload, contentHash))
    await insertFile(ctx, name, ctx.now.add({ minutes: STORED_WITHIN_MINUTES }))
  })
  try {
    await store(db, files, { storeId, name, bytes: upload.bytes })
    return await db.inStore(storeId, async (ctx) => recordReceipt(ctx, await receiptOf(ctx, upload, contentHash), name))
  } catch (err) {
    // Of a commit whose answer was lost the receipt is there, and keeps its file. While the database is away, the file is removed when its hour is over.
    await db.inStore(storeId, (ctx) => discardFile(ctx, name)).catch(() => {})
    throw err
  }
}

async function receiptOf(ctx: Ctx, upload: ReceiptUpload, contentHash: string): Promise<NewReceipt> {
  const { customerId, bytes, ...given } = upload
  return { ...given, memberId: await lockKeptCustomer(ctx, customerId), contentHash, fileBytes: bytes.length }
}

async function store(
  db: Database,
  files: ReceiptFiles,
  { storeId, name, bytes }: { storeId: number; name: string; bytes: Buffer }
): Promise<void> {
  try {
    await files.write(storeId, name, bytes)
  } catch (err) {
    await db.inStore(storeId, (ctx) => notify(ctx, filesNotStored((err as Error).message)))
    throw storageFailed(err)
  }
}

const filesNotStored = (reason: string) => ({
  kind: 'receipts_not_stored',
  subject: 'Receipts of customers cannot be stored',
  message:
    `A customer has sent a receipt, which could not be stored: ${reason}. Customers are asked to send theirs again later. Look whether the disk of ` +
    'DATA_DIR is full, and whether the user of the service may write there.',
  atMostEveryHours: 24
})

async function recordReceipt(ctx: Ctx, receipt: NewReceipt, fileName: string): Promise<Receipt> {
  // Of two that send the same at once, the later sees what the other has sent.
  await lockLoyalty(ctx)
  const { rule, retailer, isApprovedAtOnce } = await checkUpload(ctx, receipt)
  const id = await insertReceipt(ctx, { ...receipt, retailer })
  if (!(await keepFile(ctx, fileName, id))) throw tookTooLong()
  // What the rule says now, and the multiplier of the customer's tier, count when the receipt is approved.
  const { memberId } = receipt
  const { multiplierHundredths } = (await listStandings(ctx, [memberId])).get(memberId)!
  const count = { ruleId: rule.id, version: rule.version, memberId, cause: receiptCause(id), amount: 0 }
  await writeCounts(ctx, [{ ...count, multiplierHundredths, orderId: null, at: ctx.now }])
  if (isApprovedAtOnce) return approveReceipt(ctx, id, { amountMinor: null, by: 'rule' })
  return (await findReceipt(ctx, id))!
}

const tookTooLong = () =>
  new Busy('The file took too long to be stored, and nothing was changed: send the receipt again')
