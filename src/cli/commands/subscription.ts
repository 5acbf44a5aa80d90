import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, requireOneOf, type Terminal } from '../command.ts'
import { customerIdOf, customerText } from '../customer-flag.ts'
import { amount, argument, type Flags, id, needed, oneOf, optional, text, wholeNumber } from '../flags.ts'
import { facts, harmless, lines } from '../print.ts'
import { offsetPaging, pageTable, queryOf } from './pages.ts'
import { storeFlag, storePath } from './store-flag.ts'
import { addSubscriptionGiftCommands } from './subscription-gifts.ts'

const of = { id: argument('<id>', text('a subscription id such as sub_12')), store: storeFlag }
const dateFlag = text('a date such as 2026-12-24 (midnight in the shop) or a date-time such as 2026-12-24T12:00:00Z')

const terms = {
  date: optional('--date <date>', dateFlag),
  plan: optional(
    '--plan <plan>',
    text('the id of a plan such as plan_2, not its name; also changes price and interval to those of the plan')
  ),
  price: optional('--price <amount>', amount),
  interval: optional('--interval <unit>', oneOf('day', 'week', 'month', 'year')),
  intervalCount: optional('--interval-count <n>', wholeNumber(1, 28)),
  paymentMethod: optional('--payment-method <gid>', text('the global id of a payment method of the customer'))
} satisfies Flags

/** A subscription, its history, and the actions of its lifecycle. */
export function addSubscriptionCommands(program: Command, terminal: Terminal): void {
  const subscription = program.command('subscription').description('subscriptions and actions on them')
  const path = (store: string, id: string, rest = '') =>
    storePath(store, `/subscriptions/${encodeURIComponent(id)}${rest}`)

  addCommand(subscription, terminal, {
    name: 'list',
    summary: 'list the subscriptions of a store, newest first',
    flags: {
      store: storeFlag,
      status: optional('--status <status>', oneOf('active', 'paused', 'cancelled', 'failed', 'expired')),
      plan: optional('--plan <plan>', id('plan', 'a plan id such as plan_3')),
      customer: optional('--customer <id>', customerText),
      createdAfter: optional('--created-after <time>', dateFlag),
      createdBefore: optional('--created-before <time>', dateFlag),
      ...offsetPaging
    },
    run: async ({ store, plan, customer, createdAfter, createdBefore, ...given }, { api }) => {
      const customerId = await customerIdOf(api(), store, customer)
      const named = {
        plan_id: plan,
        customer_id: customerId,
        created_after: createdAfter,
        created_before: createdBefore
      }
      return api().get(storePath(store, `/subscriptions?${queryOf({ ...given, ...named })}`))
    },
    show: pageTable(
      ['id', 'email', 'plan_name', 'status', 'price', 'currency', 'cycle_index', 'next_billing_date', 'created_at'],
      'There are no such subscriptions.'
    )
  })

  addCommand(subscription, terminal, {
    name: 'show',
    summary: 'show a subscription',
    flags: of,
    run: ({ store, id }, { api }) => api().get(path(store, id)),
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'activity',
    summary: 'show the history of a subscription, newest first',
    flags: { ...of, ...offsetPaging },
    run: ({ store, id, ...page }, { api }) => api().get(path(store, id, `/activity?${queryOf(page)}`)),
    show: ({ data }) =>
      lines(
        (data as Document[]).flatMap(({ created_at, actor, actor_id, actor_name, text, notes }) => [
          harmless(`${created_at}  ${actor}${(actor_name ?? actor_id) ? ` ${actor_name ?? actor_id}` : ''}  ${text}`),
          ...(notes ? [harmless(`    ${notes}`)] : [])
        ])
      )
  })

  addCommand(subscription, terminal, {
    name: 'note',
    summary: 'add a note to the history',
    flags: { ...of, text: needed('--text <note>', text('the note, at most 1024 characters')) },
    run: ({ store, id, text: note }, { api }) => api().post(path(store, id, '/notes'), { note }),
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'pause',
    summary: 'stop billing for a number of days, or until the subscription is resumed',
    flags: { ...of, days: optional('--days <n>', wholeNumber(1, 365)) },
    run: ({ store, id, days }, { api }) => api().post(path(store, id, '/pause'), { duration: days }),
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'resume',
    summary: 'end a pause',
    flags: { ...of, date: optional('--date <date>', dateFlag) },
    run: ({ store, id, date }, { api }) => api().post(path(store, id, '/resume'), { next_billing_date: date }),
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'cancel',
    summary: "end a subscription; it can be reactivated within the store's grace period",
    flags: {
      ...of,
      reason: optional('--reason <reason>', text('the reason, at most 200 characters (default: other)')),
      comment: optional('--comment <words>', text("the customer's comment, at most 1024 characters"))
    },
    run: ({ store, id, ...requested }, { api }) => api().post(path(store, id, '/cancel'), requested),
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'reactivate',
    summary: 'revoke a cancellation',
    flags: of,
    run: ({ store, id }, { api }) => api().post(path(store, id, '/reactivate'), {}),
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'skip',
    summary: 'skip the next cycle',
    flags: of,
    run: ({ store, id }, { api }) => api().post(path(store, id, '/skip'), {}),
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'change',
    summary: 'change the date, plan, price, interval or payment method',
    flags: { ...of, ...terms },
    run: ({ store, id, ...given }, { api }) => {
      requireOneOf(terms, given)
      const { date, plan, price, interval, intervalCount, paymentMethod } = given
      return api().post(path(store, id, '/change'), {
        next_billing_date: date,
        plan_id: plan,
        price,
        interval,
        interval_count: intervalCount,
        payment_method_id: paymentMethod
      })
    },
    show: facts
  })

  addSubscriptionGiftCommands(subscription, terminal)
}
