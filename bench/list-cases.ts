// The lists that bench/list-pages.ts reads, and how a bare route reads the same page: same rows, same columns, no total.

export type ListCase = {
  name: string
  /** The path of our API, under /v1. */
  path: string
  /** The bare route's statement: plain order, limit and offset, with the best available index. */
  bare: string
}

const MEMBER = `r.id, r.platform_customer_id, r.email, r.first_name, r.last_name, r.status, r.plan_id, r.plan_name, r.tier,
  r.loyalty_points, r.store_credit_minor, s.currency, r.birth_date, r.member_since, r.next_billing_at, r.created_at, r.updated_at`
const SUBSCRIPTION = `r.id, r.platform_contract_id, r.member_id, m.platform_customer_id, m.email, m.first_name, m.last_name,
  r.plan_id, r.name as plan_name, r.status, r.price_minor, r.currency, r.interval, r.interval_count, r.cycle_index,
  r.trial_ends_at, r.next_billing_at, r.paused_at, r.resumes_at, r.cancelled_at, r.cancel_reason, r.created_at, r.updated_at`
const ATTEMPT = `r.id, r.subscription_id, r.status, r.amount_minor, r.currency, r.scheduled_at, r.attempt_number, r.cycle_index,
  r.error_code, r.error_message, r.decline_code, r.retry_at, r.attempts_remaining, r.order_id, o.platform_order_id,
  o.number as order_number, r.payment_method, r.created_at, r.completed_at`

const LISTS = {
  members: { from: `select ${MEMBER} from member_resources r join stores s on s.store_id = 1`, at: 'created_at' },
  subscriptions: {
    from: `select ${SUBSCRIPTION} from subscriptions r join members m on m.store_id = 1 and m.id = r.member_id`,
    at: 'created_at'
  },
  'billing-attempts': {
    from: `select ${ATTEMPT} from billing_attempts r left join orders o on o.store_id = 1 and o.id = r.order_id`,
    at: 'scheduled_at'
  }
}

/** Rows of the bench are three minutes apart from this instant on, oldest first. */
export const FIRST_AT = '2020-01-01T00:00:00Z'
const instantOf = (n: number) => Temporal.Instant.from(FIRST_AT).add({ minutes: 3 * n })

/** The filters and statuses, which decide how many rows match. */
const reported = ([filter, value]: [string, string]) => (filter === 'status' ? value : filter)

/** Every filter of the contract at several depths, for lists of `rows` rows. */
export function listCases(rows: number): ListCase[] {
  const cases: ListCase[] = []
  const add = (list: keyof typeof LISTS, query: Record<string, string>, where: string, depths: number[]) => {
    const { from, at } = LISTS[list]
    for (const offset of depths.map((depth) => Math.round(depth))) {
      cases.push({
        name: [list, ...Object.entries(query).map(reported), `@${offset}`].join(' '),
        path: `/v1/${list}?${new URLSearchParams({ ...query, limit: '100', offset: String(offset) })}`,
        bare: `${from} where r.store_id = 1 ${where} order by r.${at} desc, r.id desc limit 100 offset ${offset}`
      })
    }
  }
  const everywhere = [0, 100, rows / 100, rows / 2, rows - 100]
  const [after, before] = [instantOf(rows * 0.2), instantOf(rows * 0.7)]
  const between = (at: string) => `and r.${at} > '${after}' and r.${at} < '${before}'`
  const created = { created_after: `${after}`, created_before: `${before}` }
  const dated = { date_from: `${after}`, date_to: `${before}` }
  const some = String(Math.round(rows / 3))

  add('members', {}, '', everywhere)
  add('members', { status: 'active' }, "and r.status = 'active'", [0, rows * 0.4])
  add('members', { status: 'paused' }, "and r.status = 'paused'", [0, rows * 0.01])
  add('members', { plan_id: 'plan_1' }, 'and r.plan_id = 1', [0, rows * 0.2])
  add('members', { plan_id: 'plan_1', status: 'active' }, "and r.plan_id = 1 and r.status = 'active'", [0, rows * 0.1])
  add('members', { email: `person-${some}@example.com` }, `and lower(r.email) = 'person-${some}@example.com'`, [0])
  add(
    'members',
    { email: `person-${some}@example.com`, status: 'active', plan_id: 'plan_1' },
    `and lower(r.email) = 'person-${some}@example.com' and r.status = 'active' and r.plan_id = 1`,
    [0]
  )

  add('subscriptions', {}, '', everywhere)
  add('subscriptions', { status: 'active' }, "and r.public_status = 'active'", [0, rows * 0.4])
  add('subscriptions', { status: 'cancelled' }, "and r.public_status = 'cancelled'", [0, rows * 0.1])
  add('subscriptions', { plan_id: 'plan_1' }, 'and r.plan_id = 1', [0, rows * 0.2])
  add('subscriptions', { plan_id: 'plan_1', status: 'paused' }, "and r.plan_id = 1 and r.public_status = 'paused'", [0])
  add('subscriptions', created, between('created_at'), [0, rows * 0.3])
  add(
    'subscriptions',
    { ...created, status: 'active', plan_id: 'plan_1' },
    `and r.public_status = 'active' and r.plan_id = 1 ${between('created_at')}`,
    [0, rows * 0.1]
  )
  add('subscriptions', { customer_id: `cust_${some}` }, `and r.member_id = ${some}`, [0])
  add(
    'subscriptions',
    { customer_id: `cust_${some}`, status: 'active', ...created },
    `and r.member_id = ${some} and r.public_status = 'active' ${between('created_at')}`,
    [0]
  )

  add('billing-attempts', {}, '', everywhere)
  add('billing-attempts', { status: 'success' }, "and r.status = 'success'", [0, rows * 0.4])
  add('billing-attempts', { status: 'failed' }, "and r.status = 'failed'", [0, rows * 0.01])
  add('billing-attempts', dated, between('scheduled_at'), [0, rows * 0.3])
  add('billing-attempts', { ...dated, status: 'failed' }, `and r.status = 'failed' ${between('scheduled_at')}`, [0])
  add('billing-attempts', { subscription_id: `sub_${some}` }, `and r.subscription_id = ${some}`, [0])
  return cases
}
