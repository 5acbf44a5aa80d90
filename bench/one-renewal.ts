import pg from 'pg'
import { createBillingEngine } from '#billing'
import { createJobEngine } from '#kit/jobs'
import type { Statement } from '#kit/postgres'
import { storeNow } from '#stores'
import { jobs } from '../src/app/jobs.ts'
import { noMail } from '../src/app/mail.ts'
import { RecordingDatabase } from '../test/recorder.ts'
import type { BuiltStore } from '../test/store-builder.ts'
import { testVault } from '../test/store-builder.ts'
import { asScript } from './pgbench.ts'
import { stubConnector } from './stub-connector.ts'

/** Unique numbers, by which the values of the recorded renewal are recognised in statements. */
const MARKED = {
  subscription: 31_415_926,
  member: 7_654_321,
  contract: 2_718_281_828,
  attempt: 8_765_432,
  order: 9_876_543,
  job: 6_543_217
}

export type RenewalScript = { script: string; statements: number; transactions: number }

/**
 * The statements of a single renewal (charge and push to the platform) as a pgbench script over the due subscriptions of the store.
 * Recorded from a subscription that is created for this and billed.
 */
export async function recordRenewal(url: string, store: BuiltStore): Promise<RenewalScript> {
  const { storeId } = store
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  const db = new RecordingDatabase({ url })
  try {
    await owner.query(`
      insert into members (store_id, id, platform_customer_id, email, status, plan_id, member_since, next_billing_at, created_at, updated_at)
      overriding system value
      select store_id, ${MARKED.member}, ${MARKED.contract}, 'marked@example.com', status, plan_id, member_since, next_billing_at,
             created_at, updated_at from members where store_id = ${storeId} limit 1;
      insert into subscriptions (store_id, id, member_id, plan_id, platform_contract_id, platform_revision, name, status,
        price_minor, currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at,
        billing_due_at, platform_next_billing_at, payment_method, created_at, updated_at) overriding system value
      select store_id, ${MARKED.subscription}, ${MARKED.member}, plan_id, ${MARKED.contract}, platform_revision, name, status,
             price_minor, currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at,
             billing_due_at - interval '1 second', platform_next_billing_at, payment_method, created_at, updated_at
        from subscriptions where store_id = ${storeId} limit 1;
      insert into facts (store_id, name, ordering_key, data, refs, occurred_at, position)
      select ${storeId}, f.name, 'member:${MARKED.member}', '{}',
             '{"memberId": ${MARKED.member}, "subscriptionId": ${MARKED.subscription}}', now(), last.position + f.nth
        from (select max(position) as position from facts where store_id = ${storeId}) last,
             (values ('member.created', 1), ('subscription.created', 2)) f(name, nth);
      select setval(pg_get_serial_sequence('billing_attempts', 'id'), ${MARKED.attempt}, false);
      select setval(pg_get_serial_sequence('orders', 'id'), ${MARKED.order}, false);
      select setval(pg_get_serial_sequence('jobs', 'id'), ${MARKED.job}, false);
      create table others as select id, billing_due_at from subscriptions where store_id = ${storeId} and id <> ${MARKED.subscription};
      update subscriptions s set billing_due_at = null from others o where s.store_id = ${storeId} and s.id = o.id`)

    const connector = stubConnector({ now: await storeNow(db, storeId), priceMinor: 2900 })
    const connectorOf = async () => connector
    await createBillingEngine({ db, leaseOwner: 1, connectorOf }).runOnce(storeId)
    await createJobEngine({
      db,
      leaseOwner: 1,
      jobs,
      deps: { db, vault: testVault, connectorOf, sendMail: noMail }
    }).runOnce(storeId)

    const script = scriptOf(db.transactions, storeId)
    await owner.query(`
      update subscriptions s set billing_due_at = o.billing_due_at from others o where s.store_id = ${storeId} and s.id = o.id;
      drop table others`)
    await owner.query('vacuum analyze')
    return script
  } finally {
    await Promise.all([db.close(), owner.end()])
  }
}

/** The columns of a statement's row that pgbench stores for later statements. One renewal has one row where a batch has many. */
const STORED_COLUMNS: { of: RegExp; as: string; sets: Partial<Record<keyof typeof MARKED, string>> }[] = [
  {
    of: /from subscriptions s[\s\S]*billing_due_at <=[\s\S]*skip locked/,
    as: 'due_',
    sets: { subscription: 'id', member: 'member_id', contract: 'platform_contract_id' }
  },
  { of: /insert into billing_attempts/, as: 'opened_', sets: { attempt: 'id' } },
  {
    of: /from billing_attempts[\s\S]*skip locked/,
    as: 'sent_',
    sets: { attempt: 'id', subscription: 'subscription_id', contract: 'platform_contract_id' }
  },
  { of: /from subscriptions s[\s\S]*s\.id = any[\s\S]*for update of s/, as: 'held_', sets: { member: 'member_id' } },
  { of: /select id, platform_order_id/, as: 'order_', sets: { order: 'id' } },
  { of: /from jobs[\s\S]*skip locked/, as: 'job_', sets: { job: 'id', subscription: 'subscription' } }
]

function scriptOf(transactions: Statement[][], storeId: number): RenewalScript {
  const variables = new Map(Object.entries(MARKED).map(([name, metric]) => [`${metric}`, name]))
  let claims = 0
  const lines = transactions.flatMap((statements) => [
    `begin;\nset local perennial.store_id = '${storeId}';\nselect coalesce(clock_at, clock_timestamp()) as now from stores where store_id = ${storeId};`,
    ...statements.map((statement) => {
      const columns = STORED_COLUMNS.find(({ of }) => of.test(statement.text))
      const script = asScript(statement, variables)
        .replace(/limit \d+/, 'limit 1')
        // The only addition, since pgbench cannot parse the payload.
        .replace('returning jobs.id', `returning jobs.payload ->> 'subscriptionId' as subscription, jobs.id`)
      if (!columns) return `${script};`
      const sets = Object.entries(columns.sets).map(([name, column]) => `\\set ${name} :${columns.as}${column}`)
      if (!/skip locked/.test(statement.text)) return [`${script} \\gset ${columns.as}`, ...sets].join('\n')
      // Other clients may hold all visible rows: then this renewal ends here, and a later one continues its work.
      const first = `${columns.as}${Object.values(columns.sets)[0]}`
      claims++
      return [`\\set ${first} 0`, `${script} \\aset ${columns.as}`, `\\if :${first} > 0`, ...sets].join('\n')
    }),
    'commit;'
  ])
  const statements = transactions.reduce((sum, list) => sum + list.length, 0)
  for (; claims > 0; claims--) lines.push('\\else', 'commit;', '\\endif')
  return { script: `${lines.join('\n')}\n`, statements, transactions: transactions.length }
}
