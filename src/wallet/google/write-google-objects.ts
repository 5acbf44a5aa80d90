import type { PushOutcome } from '../push-outcome.ts'
import type { GoogleCredentials } from './check-google-credentials.ts'
import { GOOGLE_URLS, type GoogleUrls, googleToken, writeGoogleObject } from './google-api.ts'
import type { GoogleObject } from './google-pass.ts'

const AT_ONCE = 8

/** Writes passes of Google Wallet with one token. `withinMs`: how long the token may take, and each pass. */
export async function writeGoogleObjects(
  objects: GoogleObject[],
  credentials: GoogleCredentials,
  urls: GoogleUrls = GOOGLE_URLS,
  { at, withinMs }: { at: Temporal.Instant; withinMs: number }
): Promise<PushOutcome[]> {
  if (objects.length === 0) return []
  const got = await googleToken(credentials, urls, { at, signal: AbortSignal.timeout(withinMs) })
  if (!got.ok) return objects.map(() => got.outcome)
  const outcomes: PushOutcome[] = []
  for (let i = 0; i < objects.length; i += AT_ONCE) {
    const some = objects.slice(i, i + AT_ONCE)
    const write = (one: GoogleObject) =>
      writeGoogleObject(one, { token: got.token, api: urls.api, signal: AbortSignal.timeout(withinMs) })
    outcomes.push(...(await Promise.all(some.map(write))))
  }
  return outcomes
}
