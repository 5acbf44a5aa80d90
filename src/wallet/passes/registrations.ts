import { type Ctx, int, row, sql, text } from '#kit/postgres'

/** Phones of one pass. More than a person has: the oldest registrations make room. */
const MAX_PER_PASS = 20

/** A phone wants to know when a pass changes. Returns whether that is new. */
export async function registerDevice(
  ctx: Ctx,
  one: { passId: number; device: string; pushToken: string }
): Promise<{ isNew: boolean }> {
  // Registrations of one pass come one after the other.
  await ctx.tx.many(
    row({ id: int }),
    sql`select id from wallet_passes where store_id = ${ctx.storeId} and id = ${one.passId} for no key update`
  )
  const known = await ctx.tx.run(sql`
    update wallet_registrations set push_token = ${one.pushToken}
     where store_id = ${ctx.storeId} and pass_id = ${one.passId} and device = ${one.device}`)
  if (known > 0) return { isNew: false }
  await ctx.tx.run(sql`
    insert into wallet_registrations (store_id, pass_id, device, push_token, created_at)
    values (${ctx.storeId}, ${one.passId}, ${one.device}, ${one.pushToken}, ${ctx.now})`)
  await ctx.tx.run(sql`
    delete from wallet_registrations
     where store_id = ${ctx.storeId} and pass_id = ${one.passId}
       and device in (select device from wallet_registrations
                       where store_id = ${ctx.storeId} and pass_id = ${one.passId}
                       order by created_at desc, device offset ${MAX_PER_PASS})`)
  return { isNew: true }
}

/** A phone does not have the pass any more. Safe to repeat. */
export async function unregisterDevice(ctx: Ctx, one: { passId: number; device: string }): Promise<void> {
  await ctx.tx.run(sql`
    delete from wallet_registrations
     where store_id = ${ctx.storeId} and pass_id = ${one.passId} and device = ${one.device}`)
}

/**
 * The serial numbers of passes of a phone that have changed since a tag, and the tag to ask with next; null where the phone has no
 * registration.
 */
export async function listUpdatedPasses(
  ctx: Ctx,
  { device, since }: { device: string; since: number }
): Promise<{ serials: string[]; tag: number } | null> {
  const rows = await ctx.tx.many(
    row({ serial: text, tag: int }),
    sql`
    select p.serial, p.tag from wallet_registrations r
      join wallet_passes p on p.store_id = ${ctx.storeId} and p.id = r.pass_id
     where r.store_id = ${ctx.storeId} and r.device = ${device} order by p.id`
  )
  if (rows.length === 0) return null
  return {
    serials: rows.filter(({ tag }) => tag > since).map(({ serial }) => serial),
    tag: Math.max(...rows.map(({ tag }) => tag))
  }
}

/** The phones of passes. */
export function listRegistrations(ctx: Ctx, passIds: number[]) {
  return ctx.tx.many(
    row({ passId: int, device: text, pushToken: text }),
    sql`
    select pass_id, device, push_token from wallet_registrations
     where store_id = ${ctx.storeId} and pass_id = any(${passIds}::bigint[]) order by pass_id, device`
  )
}

/** Phones of which Apple says that they do not have the pass any more; one that has registered with another token since stays. */
export async function removeGoneDevices(
  ctx: Ctx,
  gone: { passId: number; device: string; pushToken: string }[]
): Promise<void> {
  await ctx.tx.run(sql`
    delete from wallet_registrations r
     using unnest(${gone.map(({ passId }) => passId)}::bigint[], ${gone.map(({ device }) => device)}::text[],
                  ${gone.map(({ pushToken }) => pushToken)}::text[]) as g(pass_id, device, push_token)
     where r.store_id = ${ctx.storeId} and r.pass_id = g.pass_id and r.device = g.device and r.push_token = g.push_token`)
}
