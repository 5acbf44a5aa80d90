import type { Command } from 'commander'
import { addCommand, type Terminal } from '../../command.ts'
import { customerIdOf, customerText } from '../../customer-flag.ts'
import { numberFlag, oneOf, optional, wholeNumber } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag } from '../store-flag.ts'
import { loyaltyPath } from './loyalty-flags.ts'

const COLUMNS = [
  ...['id', 'status', 'ended_by', 'customer_id', 'subscription_id', 'type', 'name', 'used_cycles', 'cycles', 'problem']
]

/** Rewards on renewals of subscriptions. */
export function addSubscriptionRewardCommands(loyalty: Command, terminal: Terminal): void {
  const reward = loyalty.command('subscription-reward').description('what customers have on renewals by rules')

  addCommand(reward, terminal, {
    name: 'list',
    summary: 'list rewards on renewals, newest first',
    flags: {
      store: storeFlag,
      customer: optional('--customer <id>', customerText),
      status: optional('--status <status>', oneOf('pending', 'active', 'ended')),
      limit: optional('--limit <n>', wholeNumber(1, 100)),
      before: optional('--before <number>', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    },
    run: async ({ store, customer, ...more }, { api }) => {
      const query = queryOf({ ...more, customer: await customerIdOf(api(), store, customer) })
      return api().get(`${loyaltyPath(store, 'subscription-rewards')}?${query}`)
    },
    show: table(COLUMNS, 'There are no rewards on renewals yet.')
  })

  addCommand(reward, terminal, {
    name: 'end',
    summary: 'take what is left of a reward off its contract',
    flags: { store: storeFlag, id: numberFlag('a reward on renewals') },
    run: ({ store, id }, { api }) => api().post(`${loyaltyPath(store, 'subscription-rewards', id)}/end`, {}),
    show: facts
  })
}
