import { Type } from 'typebox'
import { declareJob, enqueue } from '#kit/jobs'
import { bool, type Ctx, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { type Actor, actorOf } from '#subscriptions'

/** Looks after a creation that the platform was asked for, until its contract is seen or it is given up. */
/** Looks on the platform for a contract whose creation was not confirmed. */
export const finishCreationJob = declareJob('finish-creation', Type.Object({ createKey: Type.String() }), {
  dedupe: ({ createKey }) => createKey
})

/** Whoever asked may never ask again: so long a contract that was not seen is looked for. */
const ABANDONED_AFTER = '1 day'

/** What a request is known again by: its own name, or what it asks for until it was answered. */
export type CreationRequest = { key: string | null; fingerprint: Buffer }

/** A subscription that is being made here, or was. */
const PendingCreation = row({
  id: int,
  createKey: text,
  platformCustomerId: text,
  subscriptionId: nullable(int),
  /** Made under the same name, but not from the same request. */
  isOther: bool,
  /** So long ago that an answer of the platform to the last call is no more to be expected. */
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

/** Notes that the platform is about to be asked; false when another has begun the same meanwhile. */
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

/** The same for one that was begun before; false when another is about to ask, or has just asked. */
export async function markRequestedAgain(ctx: Ctx, id: number): Promise<boolean> {
  const asked = await ctx.tx.maybeOne(
    row({ createKey: text }),
    sql`
    update subscription_creations set requested_at = clock_timestamp(), abandoned_at = null
     where store_id = ${ctx.storeId} and id = ${id} and subscription_id is null
       and requested_at < clock_timestamp() - interval '1 minute'
    returning create_key`
  )
  if (asked) await enqueueFinishCreation(ctx, asked.createKey)
  return asked !== null
}

const UnansweredCreation = row({
  createKey: text,
  platformCustomerId: text,
  /** As of Creation. */
  isQuiet: bool,
  /** It was begun a day ago. */
  isOld: bool
})
export type UnansweredCreation = RowOf<typeof UnansweredCreation>

/** Those of these whose contract was not seen and that are not given up. */
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
 * Nothing came of these. They stay, so that the same request asks under the same key again, and a contract that turns up after
 * all begins as it was meant to. False for one that was asked for again just now, or seen.
 */
export async function abandonCreation(ctx: Ctx, createKey: string): Promise<boolean> {
  const given = await ctx.tx.run(sql`
    update subscription_creations set abandoned_at = ${ctx.now}
     where store_id = ${ctx.storeId} and create_key = ${createKey} and subscription_id is null and abandoned_at is null
       and requested_at < clock_timestamp() - interval '1 minute'`)
  return given > 0
}

/** Whoever asked for it is told of it now: the same request means another from here on, unless it has a name. */
export async function markReturned(ctx: Ctx, createKey: string): Promise<void> {
  await ctx.tx.run(sql`
    update subscription_creations set answered_at = coalesce(answered_at, ${ctx.now})
     where store_id = ${ctx.storeId} and create_key = ${createKey}`)
}

/** The platform has refused: what was asked for has left nothing behind. */
export async function deletePendingCreation(ctx: Ctx, createKey: string): Promise<void> {
  await ctx.tx.run(sql`
    delete from subscription_creations
     where store_id = ${ctx.storeId} and create_key = ${createKey} and subscription_id is null`)
}

/** Contracts with these keys were seen, and are subscriptions now. Keys of others are left out. */
export async function markCreated(ctx: Ctx, seen: { createKey: string; subscriptionId: number }[]): Promise<void> {
  if (seen.length === 0) return
  await ctx.tx.run(sql`
    update subscription_creations c set subscription_id = t.subscription_id
      from unnest(${seen.map((s) => s.createKey)}::text[], ${seen.map((s) => s.subscriptionId)}::bigint[])
             as t(create_key, subscription_id)
     where c.store_id = ${ctx.storeId} and c.create_key = t.create_key and c.subscription_id is null`)
}
