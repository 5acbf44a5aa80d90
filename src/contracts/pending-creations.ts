import { Type } from 'typebox'
import { declareJob, enqueue } from '#kit/jobs'
import { bool, type Ctx, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { type Actor, actorOf } from '#subscriptions'

/** Looks on the platform for a contract whose creation was not confirmed, until it is found or abandoned. */
export const finishCreationJob = declareJob('finish-creation', Type.Object({ createKey: Type.String() }), {
  dedupe: ({ createKey }) => createKey
})

/** How long a contract is looked for that nobody requests again. */
const ABANDONED_AFTER = '1 day'

/** What identifies a repeated request: its idempotency key, or without one its content, until a response was returned. */
export type CreationRequest = { key: string | null; fingerprint: Buffer }

/** A subscription that is being created through our API, or was. */
const PendingCreation = row({
  id: int,
  createKey: text,
  platformCustomerId: text,
  subscriptionId: nullable(int),
  /** The idempotency key is the same, the request is another one. */
  isOther: bool,
  /** The last call is so long ago that no response of the platform is expected any more. */
  isQuiet: bool
})
export type PendingCreation = RowOf<typeof PendingCreation>

export function findPendingCreation(ctx: Ctx, { key, fingerprint }: CreationRequest): Promise<PendingCreation | null> {
  return ctx.tx.maybeOne(
    PendingCreation,
    sql`
    select id, create_key, platform_customer_id, subscription_id, fingerprint <> ${fingerprint} as is_other,
           requested_at < clock_timestamp() - interval '1 minute' as is_quiet
      from subscription_creations
     where store_id = ${ctx.storeId}
       and (idempotency_key = ${key}::text or (${key}::text is null and idempotency_key is null and fingerprint = ${fingerprint} and answered_at is null))`
  )
}

/** Records that the platform is about to be called; false when another request has started the same. */
export async function insertPendingCreation(
  ctx: Ctx,
  { key, fingerprint }: CreationRequest,
  creation: { createKey: string; platformCustomerId: string; by: Actor }
): Promise<boolean> {
  const { actor, actorId } = actorOf(creation.by)
  const inserted = await ctx.tx.run(sql`
    insert into subscription_creations (store_id, create_key, idempotency_key, fingerprint, platform_customer_id, actor,
      actor_id, created_at)
    values (${ctx.storeId}, ${creation.createKey}, ${key}, ${fingerprint}, ${creation.platformCustomerId}, ${actor}, ${actorId},
            ${ctx.now})
    on conflict do nothing`)
  if (inserted > 0) await enqueueFinishCreation(ctx, creation.createKey)
  return inserted > 0
}

function enqueueFinishCreation(ctx: Ctx, createKey: string): Promise<void> {
  return enqueue(ctx, finishCreationJob, [{ createKey }])
}

/** The same for a creation that was started before; false when another request is calling the platform, or has just done so. */
export async function markRequestedAgain(ctx: Ctx, id: number): Promise<boolean> {
  const requested = await ctx.tx.maybeOne(
    row({ createKey: text }),
    sql`
    update subscription_creations set requested_at = statement_timestamp(), abandoned_at = null
     where store_id = ${ctx.storeId} and id = ${id} and subscription_id is null
       and requested_at < statement_timestamp() - interval '1 minute'
    returning create_key`
  )
  if (requested) await enqueueFinishCreation(ctx, requested.createKey)
  return requested !== null
}

const UnansweredCreation = row({
  createKey: text,
  platformCustomerId: text,
  /** As in `PendingCreation`. */
  isQuiet: bool,
  /** It was started a day ago. */
  isOld: bool
})
export type UnansweredCreation = RowOf<typeof UnansweredCreation>

/** The creations among these whose contract was not found yet and that are not abandoned. */
export function listUnansweredCreations(ctx: Ctx, createKeys: string[]): Promise<UnansweredCreation[]> {
  return ctx.tx.many(
    UnansweredCreation,
    sql`
    select create_key, platform_customer_id, requested_at < clock_timestamp() - interval '1 minute' as is_quiet,
           created_at <= ${ctx.now}::timestamptz - ${ABANDONED_AFTER}::interval as is_old
      from subscription_creations
     where store_id = ${ctx.storeId} and create_key = any(${createKeys}::text[]) and subscription_id is null
       and abandoned_at is null`
  )
}

/**
 * Abandons a creation that led to no contract. Its row stays, so that the same request uses the same key again, and a contract that
 * turns up after all is known by it. False when it was requested again just now, or found.
 */
export async function abandonCreation(ctx: Ctx, createKey: string): Promise<boolean> {
  const given = await ctx.tx.run(sql`
    update subscription_creations set abandoned_at = ${ctx.now}
     where store_id = ${ctx.storeId} and create_key = ${createKey} and subscription_id is null and abandoned_at is null
       and requested_at < statement_timestamp() - interval '1 minute'`)
  return given > 0
}

/** A response was returned: from now on the same request creates another subscription, unless it has an idempotency key. */
export async function markReturned(ctx: Ctx, createKey: string): Promise<void> {
  await ctx.tx.run(sql`
    update subscription_creations set answered_at = coalesce(answered_at, ${ctx.now})
     where store_id = ${ctx.storeId} and create_key = ${createKey}`)
}

/** The platform has refused: the request leaves nothing behind. */
export async function deletePendingCreation(ctx: Ctx, createKey: string): Promise<void> {
  await ctx.tx.run(sql`
    delete from subscription_creations
     where store_id = ${ctx.storeId} and create_key = ${createKey} and subscription_id is null`)
}

/** Contracts with these keys were found, and are subscriptions now. Keys of others are left out. */
export async function markCreated(ctx: Ctx, seen: { createKey: string; subscriptionId: number }[]): Promise<void> {
  if (seen.length === 0) return
  await ctx.tx.run(sql`
    update subscription_creations c set subscription_id = t.subscription_id
      from unnest(${seen.map((s) => s.createKey)}::text[], ${seen.map((s) => s.subscriptionId)}::bigint[])
             as t(create_key, subscription_id)
     where c.store_id = ${ctx.storeId} and c.create_key = t.create_key and c.subscription_id is null`)
}
