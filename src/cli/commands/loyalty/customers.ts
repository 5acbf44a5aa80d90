import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { customerIdOf, customerText } from '../../customer-flag.ts'
import { matching, needed, oneOf, optional, text, toggle, wholeNumber } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const of = { store: storeFlag, customer: needed('--customer <id>', customerText) }

/** What customers have earned, and events of theirs that other programs would report. */
export function addLoyaltyCustomerCommands(loyalty: Command, terminal: Terminal): void {
  addCommand(loyalty, terminal, {
    name: 'customer',
    summary: 'show the points of a customer, and how far they are with each rule',
    flags: of,
    run: async ({ store, customer }, { api }) => {
      const id = await customerIdOf(api(), store, customer)
      return api().get(storePath(store, `/loyalty/customers/${encodeURIComponent(id!)}`))
    },
    show: shownCustomer
  })

  const points = loyalty.command('points').description('the ledger of points')
  addCommand(points, terminal, {
    name: 'list',
    summary: 'list the entries of the points of a customer, newest first',
    flags: {
      ...of,
      limit: optional('--limit <n>', wholeNumber(1, 100)),
      before: optional('--before <number>', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    },
    run: async ({ store, customer, ...more }, { api }) => {
      const id = await customerIdOf(api(), store, customer)
      return api().get(storePath(store, `/loyalty/customers/${encodeURIComponent(id!)}/points?${queryOf(more)}`))
    },
    show: table(
      [
        'id',
        'type',
        'points',
        'pending_points',
        'lifetime_points',
        'balance_after',
        'reason',
        'order_id',
        'created_at'
      ],
      'There are no entries yet.'
    )
  })

  addCommand(loyalty, terminal, {
    name: 'event',
    summary:
      'report a custom action or a review of a customer, as programs do by the API; with an event id it counts once',
    flags: {
      ...of,
      type: needed('--type <type>', oneOf('custom_action', 'review')),
      action: optional('--action <key>', text('the action_key of rules; required for custom_action')),
      provider: optional('--provider <name>', text('the service that has the review; required for review')),
      eventId: optional(
        '--event-id <id>',
        matching('1 to 200 visible ASCII characters without spaces', /^[\x21-\x7e]{1,200}$/)
      ),
      occurredAt: optional(
        '--occurred-at <time>',
        text('a date such as 2026-12-24 (midnight in the shop) or a date-time such as 2026-12-24T12:00:00Z')
      ),
      deleted: toggle('--deleted', 'the review was deleted: what it has earned is taken back')
    },
    fields: { action: 'action_key', eventId: 'event_id', occurredAt: 'occurred_at' },
    run: ({ store, action, eventId, occurredAt, ...given }, { api }) =>
      api().post(storePath(store, '/loyalty/events'), {
        ...given,
        action_key: action,
        event_id: eventId,
        occurred_at: occurredAt
      }),
    show: facts
  })
}

function shownCustomer({ rules, ...customer }: Document): string {
  const progress = table(
    ['id', 'status', 'type', 'name', 'completed', 'current', 'required', 'percentage'],
    'The store has no loyalty rules yet.'
  )
  return `${facts(customer)}\n${progress({ data: rules })}`
}
