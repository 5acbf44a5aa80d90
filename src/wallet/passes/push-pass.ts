import { Type } from 'typebox'
import { declareJob, defineJob, type JobOutcome, type QueuedJob } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { storableError } from '#kit/storable-json'
import { APNS, type ApnsServer, pushToApple } from '../apple/apns.ts'
import { findAppleCredentials, findGoogleCredentials } from '../credentials.ts'
import type { GoogleUrls } from '../google/google-api.ts'
import { googleObject } from '../google/google-pass.ts'
import { writeGoogleObjects } from '../google/write-google-objects.ts'
import { derivePassContents } from '../pass-content.ts'
import type { PushOutcome } from '../push-outcome.ts'
import { listPasses, markPushed } from './passes.ts'
import { listRegistrations, removeGoneDevices } from './registrations.ts'

/** Where wallets are notified, where that is not at Apple and Google. */
export type WalletUrls = { apns?: ApnsServer; google?: GoogleUrls }

/** After this many tries it is given up: the pass follows with its next change, or when the phone asks by itself. */
const MAX_TRIES = 6
const TIMEOUT_MS = 10_000

export const pushPassDeclared = declareJob('push-wallet-pass', Type.Object({ passId: Type.Integer() }), {
  priority: 'low',
  dedupe: ({ passId }) => passId
})

type Deps = { db: Database; vault: Vault; walletUrls?: WalletUrls | undefined }
type Job = QueuedJob<{ passId: number }>

/** Notifies the phones that have a pass: Apple's are told to fetch it, and Google's are written anew. */
export const pushPassJob = defineJob(pushPassDeclared, async (deps: Deps, storeId, jobs): Promise<JobOutcome[]> => {
  const { db, vault, walletUrls } = deps
  const passIds = jobs.map(({ input }) => input.passId)
  const found = await db.inStore(storeId, async (ctx) => {
    const passes = await listPasses(ctx, passIds)
    return {
      at: Temporal.Instant.fromEpochMilliseconds(Math.floor(ctx.realNowMs)),
      apple: await findAppleCredentials(ctx, vault),
      google: await findGoogleCredentials(ctx, vault),
      registrations: await listRegistrations(ctx, passIds),
      offered: passes.filter(({ googleOfferedAt }) => googleOfferedAt !== null),
      contents: await derivePassContents(
        ctx,
        passes.map(({ memberId }) => memberId)
      )
    }
  })
  const { apple, google, registrations } = found
  const toApple = apple
    ? await pushToApple(
        registrations.map(({ pushToken }) => pushToken),
        apple,
        walletUrls?.apns ?? APNS,
        { timeoutMs: TIMEOUT_MS }
      )
    : []
  const objects = google
    ? found.offered.flatMap(({ id, memberId, serial }) => {
        const content = found.contents.get(memberId)
        return content ? [{ passId: id, object: googleObject(content, serial, google) }] : []
      })
    : []
  const toGoogle = google
    ? await writeGoogleObjects(
        objects.map(({ object }) => object),
        google,
        walletUrls?.google,
        { at: found.at, withinMs: TIMEOUT_MS }
      )
    : []

  const problems = new Map<number, string>()
  const note = (passId: number, outcome: PushOutcome) => {
    if (outcome.kind === 'failed') problems.set(passId, storableError(outcome.problem))
  }
  for (const [i, outcome] of toApple.entries()) note(registrations[i]!.passId, outcome)
  for (const [i, outcome] of toGoogle.entries()) note(objects[i]!.passId, outcome)
  await db.inStore(storeId, async (ctx) => {
    await removeGoneDevices(
      ctx,
      registrations.filter((_, i) => toApple[i]?.kind === 'gone')
    )
    await markPushed(
      ctx,
      jobs.flatMap((job) => {
        const problem = problems.get(job.input.passId) ?? null
        return problem === null || isLastTry(job) ? [{ passId: job.input.passId, problem }] : []
      })
    )
  })
  return jobs.map((job) => {
    const reason = problems.get(job.input.passId)
    return reason === undefined || isLastTry(job) ? { done: true } : { done: false, reason }
  })
})

const isLastTry = ({ attempts }: Job) => attempts >= MAX_TRIES
