import { bool, type Ctx, nullable, oneOf, type RowOf, row, sql } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { settingsOf } from '#stores'
import { lockSubscription, Subscription } from '#subscriptions'
import { decide } from '#subscriptions/transitions'
import { customerActionSettings } from './settings.ts'

/** What customers may do with a contract of theirs on the storefront now. */
export type CustomerActions = { cancel: boolean; reactivate: boolean; pause: boolean; resume: boolean; skip: boolean }

const More = row({
  planType: nullable(oneOf('vip', 'elite', 'product')),
  /** The customer has paused it, and nobody else. */
  isPausedByCustomer: bool
})
const OwnRow = Object.assign((raw: Record<string, unknown>) => ({ ...More(raw), subscription: Subscription(raw) }), {
  columns: [...Subscription.columns, ...More.columns]
})

/** A contract that a customer pays for, and what they may do with it. */
export type OwnContract = RowOf<typeof More> & { subscription: Subscription; actions: CustomerActions }

/** What an account shows of one customer. */
const MAX_OWN_CONTRACTS = 250

/** The live contracts of a customer, and those whose cancellation can be taken back; the newest 250, newest first. */
export const listOwnContracts = (ctx: Ctx, memberId: number): Promise<OwnContract[]> => select(ctx, memberId, null)

/** One of them, however old; null where it has ended for good. */
export async function findOwnContract(
  ctx: Ctx,
  { id, memberId }: Pick<Subscription, 'id' | 'memberId'>
): Promise<OwnContract | null> {
  const [found = null] = await select(ctx, memberId, id)
  return found
}

async function select(ctx: Ctx, memberId: number, id: number | null): Promise<OwnContract[]> {
  const rows = await ctx.tx.many(
    OwnRow,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name, p.type as plan_type,
           coalesce((select a.actor = 'customer' from contract_activities a
                      where a.store_id = ${ctx.storeId} and a.subscription_id = s.id and a.kind = 'paused'
                      order by a.id desc limit 1), false) as is_paused_by_customer
      from subscriptions s
      join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
      left join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
     where s.store_id = ${ctx.storeId} and s.member_id = ${memberId}
       and (s.status in ('active', 'paused') or s.grace_ends_at > ${ctx.now})
       and (${id}::bigint is null or s.id = ${id}::bigint)
     order by s.created_at desc, s.id desc limit ${MAX_OWN_CONTRACTS}`
  )
  const settings = await settingsOf(ctx, customerActionSettings)
  return rows.map((one) => ({ ...one, actions: actionsOf(one, settings, ctx.now) }))
}

/** Locks the subscription and refuses what its customer may not do with it now. */
export async function assertCustomerMay(ctx: Ctx, id: number, action: keyof CustomerActions): Promise<void> {
  const own = await findOwnContract(ctx, await lockSubscription(ctx, id))
  if (!own?.actions[action]) throw new Refusal('conflict', REFUSED[action])
}

const REFUSED: Record<keyof CustomerActions, string> = {
  cancel: 'This contract cannot be cancelled now',
  reactivate: 'This cancellation cannot be taken back any more',
  pause: 'This contract cannot be paused here',
  resume: 'This contract cannot be resumed here',
  skip: 'The next payment of this contract cannot be skipped here'
}

function actionsOf(
  { subscription: s, isPausedByCustomer }: { subscription: Subscription; isPausedByCustomer: boolean },
  { mayPause, maySkip }: { mayPause: 'on' | 'off'; maySkip: 'on' | 'off' },
  now: Temporal.Instant
): CustomerActions {
  const can = (transition: Parameters<typeof decide>[0]) => 'to' in decide(transition, s, now)
  return {
    cancel: can('cancel') && s.status !== 'failed',
    reactivate: can('reactivate'),
    pause: mayPause === 'on' && can('pause'),
    resume: isPausedByCustomer && !s.pausedByDunning && can('resume'),
    skip: maySkip === 'on' && can('skip')
  }
}
