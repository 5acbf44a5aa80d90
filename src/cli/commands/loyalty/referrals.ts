import type { Command } from 'commander'
import { addCommand, type Terminal } from '../../command.ts'
import { customerIdOf, customerText } from '../../customer-flag.ts'
import { oneOf, optional, wholeNumber } from '../../flags.ts'
import { table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag } from '../store-flag.ts'
import { loyaltyPath } from './loyalty-flags.ts'

const COLUMNS = ['id', 'status', 'reason', 'referrer_id', 'friend_id', 'order_name', 'code', 'ordered_at']

/** Friends whom customers have brought. */
export function addReferralCommands(loyalty: Command, terminal: Terminal): void {
  const referral = loyalty.command('referral').description('orders with the referral codes of customers')

  addCommand(referral, terminal, {
    name: 'list',
    summary: 'list orders with referral codes, newest first, with the reason of those that are refused',
    flags: {
      store: storeFlag,
      customer: optional('--customer <id>', customerText),
      status: optional('--status <status>', oneOf('checking', 'counted', 'not_counted', 'refused')),
      limit: optional('--limit <n>', wholeNumber(1, 100)),
      before: optional('--before <number>', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    },
    run: async ({ store, customer, ...more }, { api }) => {
      const query = queryOf({ ...more, customer: await customerIdOf(api(), store, customer) })
      return api().get(`${loyaltyPath(store, 'referrals')}?${query}`)
    },
    show: table(COLUMNS, 'No order has had a referral code yet.')
  })
}
