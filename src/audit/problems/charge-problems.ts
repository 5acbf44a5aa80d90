import { type Database, instant, int, row, sql } from '#kit/postgres'
import type { Problem } from './problem.ts'

const MAX_STORES = 100

const Group = row({ storeId: int, count: int, since: instant })
const PendingGroup = row({ storeId: int, count: int, unsent: int, since: instant })

type DomainOf = (storeId: number) => string

/**
 * Charges that wait for a person, and those whose outcome nobody has known for a week, by store: what the auditor's rules
 * `charges_held` and `outcomes_known` name one by one.
 */
export async function chargeProblems(db: Database, storeId: number | null, domainOf: DomainOf): Promise<Problem[]> {
  const [held, pending] = await db.inInstallation(async (tx) => [
    // The codes are written out, as in the index that has these attempts only; a test compares them with HELD_CLASSES.
    await tx.many(
      Group,
      sql`
      select a.store_id, count(*) as count, min(a.completed_at) as since
        from billing_attempts a
        join stores s on s.store_id = a.store_id and s.deleting_since is null
        join subscriptions u on u.store_id = a.store_id and u.id = a.subscription_id and u.next_cycle = a.cycle_index
       where a.status = 'failed' and a.error_code in ('already_paid', 'contract_not_billable', 'invalid_order', 'not_accepted')
         and u.status = 'active' and u.billing_due_at is null and u.payment_method_deadline is null
         and not exists (
           select from billing_attempts later
            where later.store_id = a.store_id and later.subscription_id = a.subscription_id
              and later.cycle_index = a.cycle_index and later.attempt_number > a.attempt_number)
         and (${storeId}::bigint is null or a.store_id = ${storeId})
       group by a.store_id order by a.store_id limit ${MAX_STORES}`
    ),
    await tx.many(
      PendingGroup,
      sql`
      select a.store_id, count(*) as count, count(*) filter (where a.platform_attempt_id is null) as unsent,
             min(a.scheduled_at) as since
        from billing_attempts a
        join stores s on s.store_id = a.store_id and s.deleting_since is null
       where a.status = 'pending' and a.scheduled_at < coalesce(s.clock_at, clock_timestamp()) - interval '168 hours'
         and (${storeId}::bigint is null or a.store_id = ${storeId})
       group by a.store_id order by a.store_id limit ${MAX_STORES}`
    )
  ])
  return [
    ...held.map(({ storeId: id, count, since }): Problem => {
      const store = domainOf(id)
      return {
        kind: 'charges_held',
        store,
        subject: 'charges',
        since,
        message: `${count === 1 ? 'One charge waits' : `${count} charges wait`} for a person`,
        next:
          `What is wrong with each: perennial doctor --store ${store} (charges_held), and perennial attempt list --store ${store} ` +
          '--status failed. Correct it, then retry the attempt or skip the cycle.'
      }
    }),
    ...pending.map(({ storeId: id, count, unsent, since }): Problem => {
      const store = domainOf(id)
      const received = count === 1 ? 'it' : unsent === count ? 'them' : `${unsent} of them`
      return {
        kind: 'charges_pending',
        store,
        subject: 'charges',
        since,
        message:
          `${count === 1 ? 'One charge has' : `${count} charges have`} been pending for more than a week` +
          (unsent === 0 ? '' : `: as far as is known, the platform has not received ${received}`),
        next:
          unsent === count
            ? `They are sent by themselves when the platform takes them. What may keep it from that: perennial platform show --store ${store}`
            : `Look for them on the platform: perennial attempt list --store ${store} --status pending`
      }
    })
  ]
}
