import { type Ctx, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { gid, type PlatformContract, type ProfileName } from '#platform'
import { ACTORS, type Actor } from '#subscriptions'

/** What is known here of a contract that is read for the first time. */
export type NewContract = {
  /** Who has created it through our API; null when nobody has. */
  madeBy: Actor | null
  /** The member whom it is a gift for. */
  receiverId: number | null
  /** It names a receiver who is not known here. */
  isReceiverUnknown: boolean
}

/** By contract. A receiver is unknown where several customers have the address that is given. */
export async function resolveNewContracts(
  ctx: Ctx,
  contracts: PlatformContract[],
  profile: ProfileName
): Promise<Map<string, NewContract>> {
  const makers = await creatorsOf(
    ctx,
    contracts.flatMap(({ createKey }) => createKey ?? [])
  )
  const receivers = await receiversOf(
    ctx,
    contracts.flatMap(({ giftReceiver }) => giftReceiver ?? []),
    profile
  )
  return new Map(
    contracts.map(({ id, createKey, giftReceiver, customer }) => {
      const found = giftReceiver === null ? null : (receivers.get(giftReceiver) ?? null)
      const receiver = found?.platformCustomerId === customer?.id ? null : found
      const madeBy = createKey === null ? null : (makers.get(createKey) ?? null)
      return [id, { madeBy, receiverId: receiver?.id ?? null, isReceiverUnknown: giftReceiver !== null && !receiver }]
    })
  )
}

async function creatorsOf(ctx: Ctx, createKeys: string[]): Promise<Map<string, Actor>> {
  if (createKeys.length === 0) return new Map()
  const created = await ctx.tx.many(
    row({ createKey: text, actor: oneOf(...ACTORS), actorId: nullable(text) }),
    sql`
    select create_key, actor, actor_id from subscription_creations
     where store_id = ${ctx.storeId} and create_key = any(${createKeys}::text[])`
  )
  return new Map(created.map(({ createKey, ...by }) => [createKey, by]))
}

const Receiver = row({ id: int, platformCustomerId: text })

/** Customers by what a contract says: a global id, a number, or an e-mail address that only one customer has. */
async function receiversOf(ctx: Ctx, texts: string[], profile: ProfileName) {
  if (texts.length === 0) return new Map<string, ReturnType<typeof Receiver>>()
  const wanted = new Map(texts.map((text) => [text, customerNumber(text, profile)]))
  const numbers = [...wanted.values()].filter((number) => number !== null)
  const emails = [...wanted].flatMap(([text, number]) => (number === null ? text.trim().toLowerCase() : []))
  const known = await ctx.tx.many(
    row({ id: int, platformCustomerId: text, email: nullable(text) }),
    sql`
    select id, platform_customer_id, lower(email) as email from members
     where store_id = ${ctx.storeId} and platform_deleted_at is null and platform_customer_id = any(${numbers}::text[])
    union
    select id, platform_customer_id, lower(email) from members
     where store_id = ${ctx.storeId} and platform_deleted_at is null and lower(email) = any(${emails}::text[])`
  )
  return new Map(
    [...wanted].flatMap(([text, number]) => {
      const matching = known.filter((one) =>
        number === null ? one.email === text.trim().toLowerCase() : one.platformCustomerId === number
      )
      return matching.length === 1 ? [[text, matching[0]!] as const] : []
    })
  )
}

function customerNumber(text: string, profile: ProfileName): string | null {
  const [given, prefix] = [text.trim(), gid(profile, 'Customer', '')]
  const number = given.startsWith(prefix) ? given.slice(prefix.length) : given
  return /^[0-9]{1,20}$/.test(number) ? number : null
}
