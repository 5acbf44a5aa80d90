import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { id, oneOf, optional, text } from '../flags.ts'
import { offsetPaging, pageTable, queryOf } from './pages.ts'
import { storeFlag, storePath } from './store-flag.ts'

const date = 'a date such as 2026-01-31 (midnight in the shop) or a date-time such as 2026-01-31T12:00:00Z'

export function addAttemptCommands(program: Command, terminal: Terminal): void {
  const attempt = program.command('attempt').description("billing attempts: charges of a store's subscriptions")

  addCommand(attempt, terminal, {
    name: 'list',
    summary:
      'list the billing attempts of a store, newest first; the first payment, at the checkout, is not one of them',
    flags: {
      store: storeFlag,
      subscription: optional('--subscription <id>', id('sub', 'a subscription id such as sub_12')),
      status: optional('--status <status>', {
        ...oneOf('success', 'failed', 'pending'),
        accepts: 'success, failed or pending (the platform has not reported the outcome yet)'
      }),
      from: optional('--from <time>', text(`attempts scheduled after this time: ${date}`)),
      to: optional('--to <time>', text(`attempts scheduled before this time: ${date}`)),
      ...offsetPaging
    },
    fields: { from: 'date_from', to: 'date_to', subscription: 'subscription_id' },
    run: ({ store, subscription, from, to, ...given }, { api }) => {
      const query = queryOf({ ...given, subscription_id: subscription, date_from: from, date_to: to })
      return api().get(storePath(store, `/billing-attempts?${query}`))
    },
    show: pageTable(
      [
        'id',
        'subscription_id',
        'date',
        'status',
        'amount',
        'currency',
        'cycle_index',
        'attempt_number',
        'error_code',
        'decline_code',
        'retry_date'
      ],
      'There are no such billing attempts.'
    )
  })
}
