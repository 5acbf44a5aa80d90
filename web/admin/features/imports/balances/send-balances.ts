import { BrowserRefusal } from '../../../shared/api/errors.ts'
import type { components } from '../../../shared/api/schema.ts'
import { formatOf, putFile } from '../put-file.ts'

export type CreditReport = components['schemas']['CreditImport']
export type LoyaltyReport = components['schemas']['LoyaltyImport']

/** A file to be sent, or only to be checked. */
export type Sending = { store: string; file: File; isDryRun: boolean; unreadable: string }

/** Adds the credit of a file. Its hash names rows that have no `external_id`, so that they are added once. */
export async function sendCredit({ store, file, isDryRun, unreadable }: Sending): Promise<CreditReport> {
  const query = new URLSearchParams({ dry_run: String(isDryRun) })
  const bytes = await contentOf(file, unreadable)
  // Browsers have it for https and localhost; without it the service refuses rows that have no `external_id`.
  if (crypto.subtle) query.set('sha256', hex(await crypto.subtle.digest('SHA-256', bytes)))
  const path = `/stores/${store}/store-credits/import?${query}`
  return (await putFile(path, formatOf(file.name), file)) as CreditReport
}

/** Adds points, tiers and birth dates of a file. */
export async function sendLoyalty({ store, file, isDryRun, unreadable }: Sending): Promise<LoyaltyReport> {
  await contentOf(file.slice(0, 1), unreadable)
  return (await putFile(
    `/stores/${store}/loyalty/import?dry_run=${isDryRun}`,
    formatOf(file.name),
    file
  )) as LoyaltyReport
}

/** Browsers refuse to read a file that was changed or moved since it was chosen. */
const contentOf = (file: Blob, unreadable: string) =>
  file.arrayBuffer().catch((err) => {
    throw new BrowserRefusal(unreadable, { cause: err })
  })

const hex = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
