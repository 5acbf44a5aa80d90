import { type Ctx, sql } from '#kit/postgres'
import type { ActivityKind, ActorName } from './activity.ts'

/** An entry for the history of a contract. Plan name and member are those of the subscription when it is written. */
export type NewActivity = {
  subscriptionId: number
  kind: ActivityKind
  actor: ActorName
  actorId?: string | null
  /** A sentence of at most 500 characters for people to read. */
  text: string
  /** What a person said about it, of at most 1024 characters. */
  notes?: string | null
  /** For programs: ids, and `from` and `to` of changes. */
  refs?: Record<string, unknown>
  /** Names the operation, such as `attempt:12:failed`. Of several entries with one cause only the first is written. */
  cause?: string | null
}

/** Writes entries in the transaction of what they report, in the order given. */
export async function recordActivities(ctx: Ctx, entries: NewActivity[]): Promise<void> {
  if (entries.length === 0) return
  await ctx.tx.run(sql`
    insert into contract_activities (store_id, subscription_id, member_id, kind, actor, actor_id, text, notes,
      plan_group_name, plan_name, refs, cause, occurred_at)
    select ${ctx.storeId}, s.id, s.member_id, e.kind, e.actor, e.actor_id, e.text, nullif(e.notes, ''), s.tier_name,
           s.plan_name, e.refs::jsonb, e.cause, ${ctx.now}
      from unnest(${entries.map((e) => e.subscriptionId)}::bigint[], ${entries.map((e) => e.kind)}::text[],
                  ${entries.map((e) => e.actor)}::text[], ${entries.map((e) => e.actorId ?? null)}::text[],
                  ${entries.map((e) => e.text)}::text[], ${entries.map((e) => e.notes ?? null)}::text[],
                  ${entries.map((e) => JSON.stringify(e.refs ?? {}))}::text[],
                  ${entries.map((e) => e.cause ?? null)}::text[])
           with ordinality as e(subscription_id, kind, actor, actor_id, text, notes, refs, cause, position)
      join (select s.id, s.member_id, p.tier_name, coalesce(p.name, s.name) as plan_name
              from subscriptions s
              left join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
             where s.store_id = ${ctx.storeId} and s.id = any(${entries.map((e) => e.subscriptionId)}::bigint[])
            offset 0) s on s.id = e.subscription_id
     order by e.position
    on conflict (store_id, cause) where cause is not null do nothing`)
}
