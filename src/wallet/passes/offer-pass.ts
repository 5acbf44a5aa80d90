import { randomBytes } from 'node:crypto'
import { publicId } from '#kit/ids'
import { enqueue } from '#kit/jobs'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { equalInConstantTime, randomToken, type Vault } from '#kit/secrets'
import { findKeptCustomerId, parseCustomerId } from '#members'
import { storefrontSetting, walletPass } from '#storefront-settings'
import { storeContext } from '#stores'
import type { AppleCredentials } from '../apple/check-apple-credentials.ts'
import { passFiles } from '../apple/pass-files.ts'
import { signPass } from '../apple/sign-pass.ts'
import { findAppleCredentials, findGoogleCredentials } from '../credentials.ts'
import { googleObject, googleSaveLink } from '../google/google-pass.ts'
import { writeGoogleObjects } from '../google/write-google-objects.ts'
import { derivePassContents, hashOfContent, type PassContent } from '../pass-content.ts'
import { googleAway, membershipEnded, noMembershipForPass, passesSwitchedOff, walletNotSetUp } from '../refusals.ts'
import {
  findPassBySerial,
  findPassOfMember,
  insertPass,
  listPasses,
  markGoogleOffered,
  nextTag,
  type Pass
} from './passes.ts'
import { pushPassDeclared, type WalletUrls } from './push-pass.ts'
import { changeTime } from './refresh-passes.ts'

/** What is needed beside the transaction. `publicUrl`: where phones reach the service. */
export type PassDeps = { vault: Vault; publicUrl: string }

/** A signed pass, and when it last changed. */
export type SignedPass = { bytes: Buffer; changedAt: Temporal.Instant }

/** A pass that is read, so that it can be signed after the transaction. */
export type ReadPass = { sign(): SignedPass }

const SERIAL_BYTES = 16
/** For the token, and for the pass: a person waits. */
const GOOGLE_WITHIN_MS = 4_000

/** The pass of a member of the shop for Apple Wallet; it is made at the first time. `customerId`: the platform's number. */
export async function offerApplePass(ctx: Ctx, customerId: string, deps: PassDeps): Promise<ReadPass> {
  await refuseSwitchedOff(ctx)
  const credentials = await findAppleCredentials(ctx, deps.vault)
  if (!credentials) throw walletNotSetUp('apple')
  const { pass, content } = await passOf(ctx, customerId, deps.vault)
  return readyToSign(ctx, pass, content, credentials, deps)
}

/** What a link for Google Wallet needs beside the store. */
export type GoogleOfferDeps = { db: Database; vault: Vault; walletUrls?: WalletUrls | undefined }

/**
 * The link by which a member of the shop adds the pass to Google Wallet. Google gets the pass before, since the link only names it; refuses
 * where Google does not take it now.
 */
export async function offerGooglePass(
  { db, vault, walletUrls }: GoogleOfferDeps,
  storeId: number,
  customerId: string
): Promise<string> {
  const offered = await db.inStore(storeId, async (ctx) => {
    await refuseSwitchedOff(ctx)
    const credentials = await findGoogleCredentials(ctx, vault)
    if (!credentials) throw walletNotSetUp('google')
    const { pass, content } = await passOf(ctx, customerId, vault)
    // Before Google has it, so that an erasure knows of it.
    await markGoogleOffered(ctx, pass.id)
    return { pass, content, credentials, at: realTimeOf(ctx) }
  })
  const { pass, content, credentials, at } = offered
  const object = googleObject(content, pass.serial, credentials)
  const [outcome] = await writeGoogleObjects([object], credentials, walletUrls?.google, {
    at,
    withinMs: GOOGLE_WITHIN_MS
  })
  const isWritten = outcome?.kind === 'done'
  await db.inStore(storeId, async (ctx) => {
    const [latest] = await listPasses(ctx, [pass.id])
    // What failed is tried again, and becomes visible; what changed meanwhile may have been overwritten.
    if (!isWritten || latest?.contentHash !== hashOfContent(content))
      await enqueue(ctx, pushPassDeclared, [{ passId: pass.id }])
  })
  if (!isWritten) throw googleAway()
  return googleSaveLink(pass.serial, credentials, at)
}

/**
 * The pass that a phone asks for, which authenticates by the token in it; null where the store has no such pass, or the token or pass
 * type is another.
 */
export async function authenticatePass(
  ctx: Ctx,
  asked: { passTypeId: string; serial: string; token: string },
  vault: Vault
): Promise<Pass | null> {
  const credentials = await findAppleCredentials(ctx, vault)
  const pass = await findPassBySerial(ctx, asked.serial)
  if (credentials?.passTypeId !== asked.passTypeId || !pass) return null
  return equalInConstantTime(tokenOf(ctx, pass, vault), asked.token) ? pass : null
}

/** The present state of a pass for the phone that has it; null where passes are not signed any more. */
export async function readPass(ctx: Ctx, pass: Pass, deps: PassDeps): Promise<ReadPass | null> {
  const credentials = await findAppleCredentials(ctx, deps.vault)
  const content = (await derivePassContents(ctx, [pass.memberId])).get(pass.memberId)
  return credentials && content ? readyToSign(ctx, pass, content, credentials, deps) : null
}

async function refuseSwitchedOff(ctx: Ctx): Promise<void> {
  const { wallet_pass_enabled } = await storefrontSetting(ctx, walletPass)
  if (!wallet_pass_enabled) throw passesSwitchedOff()
}

async function passOf(ctx: Ctx, customerId: string, vault: Vault): Promise<{ pass: Pass; content: PassContent }> {
  const { profile } = await storeContext(ctx)
  const memberId = await findKeptCustomerId(ctx, parseCustomerId(customerId, profile))
  if (memberId === null) throw noMembershipForPass()
  // A member who asks twice at once gets one pass.
  await ctx.tx.many(
    row({ id: int }),
    sql`select id from members where store_id = ${ctx.storeId} and id = ${memberId} for no key update`
  )
  const content = (await derivePassContents(ctx, [memberId])).get(memberId)
  if (!content) throw noMembershipForPass()
  if (content.isVoided) throw membershipEnded()
  const pass = (await findPassOfMember(ctx, memberId)) ?? (await makePass(ctx, memberId, content, vault))
  return { pass, content }
}

function makePass(ctx: Ctx, memberId: number, content: PassContent, vault: Vault): Promise<Pass> {
  const serial = randomBytes(SERIAL_BYTES).toString('hex')
  return nextTag(ctx).then((tag) =>
    insertPass(ctx, {
      memberId,
      serial,
      sealedToken: vault.seal(purposeOf(ctx.storeId, serial), randomToken()),
      contentHash: hashOfContent(content),
      isVoided: content.isVoided,
      tag,
      changedAt: changeTime(ctx.now, null)
    })
  )
}

function readyToSign(
  ctx: Ctx,
  pass: Pass,
  content: PassContent,
  credentials: AppleCredentials,
  { vault, publicUrl }: PassDeps
): ReadPass {
  const token = tokenOf(ctx, pass, vault)
  const at = realTimeOf(ctx)
  const webServiceUrl = `${publicUrl}${walletServicePath(publicId('store', ctx.storeId))}`
  return {
    sign: () => ({
      bytes: signPass(passFiles(content, { serial: pass.serial, token, webServiceUrl }, credentials), credentials, at),
      changedAt: pass.changedAt
    })
  }
}

/** Where phones ask for changes of passes of a store; they add `/v1/…`. */
export const walletServicePath = (store: string) => `/wallet/${store}`

const purposeOf = (storeId: number, serial: string) => `wallet-pass:store_${storeId}:${serial}`
const tokenOf = (ctx: Ctx, { serial, sealedToken }: Pass, vault: Vault) =>
  vault.open(purposeOf(ctx.storeId, serial), sealedToken)
const realTimeOf = (ctx: Ctx) => Temporal.Instant.fromEpochMilliseconds(Math.floor(ctx.realNowMs))
