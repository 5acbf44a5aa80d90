import { bytes, type Ctx, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { concealed, type Vault } from '#kit/secrets'
import {
  type AppleCredentials,
  checkAppleCredentials,
  type GivenAppleCredentials
} from './apple/check-apple-credentials.ts'
import { checkGoogleCredentials, type GoogleCredentials } from './google/check-google-credentials.ts'
import { type WalletKind, walletNotSetUp } from './refusals.ts'

const WalletRow = row({
  kind: oneOf('apple', 'google'),
  identifier: text,
  account: text,
  expiresAt: nullable(instant),
  updatedAt: instant
})
/** The credentials of a wallet without their secrets. */
export type WalletCredentials = RowOf<typeof WalletRow>

const SealedRow = row({ sealed: bytes })
const purposeOf = (storeId: number, kind: WalletKind) => `wallet:${kind}:store_${storeId}`

/** Real time at the beginning of the transaction: certificates end by it, whatever the store's clock says. */
const realTimeOf = (ctx: Ctx) => Temporal.Instant.fromEpochMilliseconds(Math.floor(ctx.realNowMs))

/** Sets what signs passes for Apple Wallet, after checking it. */
export async function setAppleCredentials(ctx: Ctx, given: GivenAppleCredentials, vault: Vault): Promise<void> {
  const { credentials, expiresAt } = checkAppleCredentials(given, realTimeOf(ctx))
  const { passTypeId, teamId } = credentials
  await save(ctx, vault, { kind: 'apple', secrets: credentials, identifier: passTypeId, account: teamId, expiresAt })
}

/** Sets what signs links for Google Wallet, after checking it. */
export async function setGoogleCredentials(
  ctx: Ctx,
  given: { issuerId: string; serviceAccount: string },
  vault: Vault
): Promise<void> {
  const credentials = checkGoogleCredentials(given)
  const { issuerId, email } = credentials
  await save(ctx, vault, {
    kind: 'google',
    secrets: credentials,
    identifier: issuerId,
    account: email,
    expiresAt: null
  })
}

/** Without credentials no pass is given out, and none in phones is updated. Refuses what is not set. */
export async function removeWalletCredentials(ctx: Ctx, kind: WalletKind): Promise<void> {
  const removed = await ctx.tx.run(
    sql`delete from wallet_credentials where store_id = ${ctx.storeId} and kind = ${kind}`
  )
  if (removed === 0) throw walletNotSetUp(kind)
}

/** What is set in the store, without secrets. */
export function listWalletCredentials(ctx: Ctx): Promise<WalletCredentials[]> {
  return ctx.tx.many(
    WalletRow,
    sql`
    select kind, identifier, account, expires_at, updated_at from wallet_credentials
     where store_id = ${ctx.storeId} order by kind`
  )
}

/** What signs passes for Apple Wallet; null where it is not set. */
export async function findAppleCredentials(ctx: Ctx, vault: Vault): Promise<AppleCredentials | null> {
  const found = await open<AppleCredentials>(ctx, vault, 'apple')
  return found && concealed(found, ['certificate', 'key', 'wwdr'])
}

/** What signs links for Google Wallet; null where it is not set. */
export async function findGoogleCredentials(ctx: Ctx, vault: Vault): Promise<GoogleCredentials | null> {
  const found = await open<GoogleCredentials>(ctx, vault, 'google')
  return found && concealed(found, ['key'])
}

async function open<T>(ctx: Ctx, vault: Vault, kind: WalletKind): Promise<T | null> {
  const found = await ctx.tx.maybeOne(
    SealedRow,
    sql`select sealed from wallet_credentials where store_id = ${ctx.storeId} and kind = ${kind}`
  )
  return found && (JSON.parse(vault.open(purposeOf(ctx.storeId, kind), found.sealed)) as T)
}

async function save(
  ctx: Ctx,
  vault: Vault,
  one: {
    kind: WalletKind
    secrets: object
    identifier: string
    account: string
    expiresAt: Temporal.Instant | null
  }
): Promise<void> {
  const sealed = vault.seal(purposeOf(ctx.storeId, one.kind), JSON.stringify(one.secrets))
  await ctx.tx.run(sql`
    insert into wallet_credentials (store_id, kind, sealed, identifier, account, expires_at, updated_at)
    values (${ctx.storeId}, ${one.kind}, ${sealed}, ${one.identifier}, ${one.account}, ${one.expiresAt}, ${ctx.now})
    on conflict (store_id, kind) do update
      set sealed = excluded.sealed, identifier = excluded.identifier, account = excluded.account,
          expires_at = excluded.expires_at, updated_at = excluded.updated_at`)
}

/** How many passes and registered phones a store has. */
export function countPasses(ctx: Ctx) {
  return ctx.tx.one(
    row({ passes: int, registrations: int, google: int, problems: int }),
    sql`
    select (select count(*) from wallet_passes where store_id = ${ctx.storeId}) as passes,
           (select count(*) from wallet_registrations where store_id = ${ctx.storeId}) as registrations,
           (select count(*) from wallet_passes where store_id = ${ctx.storeId} and google_offered_at is not null) as google,
           (select count(*) from wallet_passes where store_id = ${ctx.storeId} and problem is not null) as problems`
  )
}
