import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { storableError } from '#kit/storable-json'
import { findGoogleCredentials } from '../credentials.ts'
import { googleObject } from '../google/google-pass.ts'
import { writeGoogleObjects } from '../google/write-google-objects.ts'
import { deriveVoidContent } from '../pass-content.ts'
import type { WalletUrls } from './push-pass.ts'

const WITHIN_MS = 10_000

/**
 * Has Google keep these passes, by their serial numbers, as void ones that tell nothing of a person: Google deletes none. Returns why that
 * failed; null: it is done, or nobody can do it since the store has no credentials any more. Safe to repeat.
 */
export async function withdrawGooglePasses(
  { db, vault, walletUrls }: { db: Database; vault: Vault; walletUrls?: WalletUrls | undefined },
  storeId: number,
  serials: string[]
): Promise<string | null> {
  if (serials.length === 0) return null
  const { credentials, content, at } = await db.inStore(storeId, async (ctx) => ({
    credentials: await findGoogleCredentials(ctx, vault),
    content: await deriveVoidContent(ctx),
    at: Temporal.Instant.fromEpochMilliseconds(Math.floor(ctx.realNowMs))
  }))
  if (!credentials) return null
  const objects = serials.map((serial) => googleObject(content, serial, credentials))
  const outcomes = await writeGoogleObjects(objects, credentials, walletUrls?.google, { at, withinMs: WITHIN_MS })
  const failed = outcomes.find(({ kind }) => kind === 'failed')
  return failed?.kind === 'failed' ? storableError(failed.problem) : null
}
