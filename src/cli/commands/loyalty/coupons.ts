import type { Command } from 'commander'
import { addCommand, type Terminal } from '../../command.ts'
import { customerIdOf, customerText } from '../../customer-flag.ts'
import { numberFlag, oneOf, optional, wholeNumber } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag } from '../store-flag.ts'
import { loyaltyPath } from './loyalty-flags.ts'

const COLUMNS = ['id', 'status', 'ended_by', 'customer_id', 'type', 'name', 'code', 'usage_count', 'expires_at']
const type = oneOf('amount_off_products', 'amount_off_orders', 'buy_x_get_y', 'free_shipping', 'free_product')

/** Coupons that customers got as rewards or bought with points. */
export function addCouponCommands(loyalty: Command, terminal: Terminal): void {
  const coupon = loyalty.command('coupon').description('the coupons that customers have')

  addCommand(coupon, terminal, {
    name: 'list',
    summary: 'list coupons, newest first',
    flags: {
      store: storeFlag,
      customer: optional('--customer <id>', customerText),
      type: optional('--type <type>', type),
      limit: optional('--limit <n>', wholeNumber(1, 100)),
      before: optional('--before <number>', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    },
    run: async ({ store, customer, ...more }, { api }) => {
      const query = queryOf({ ...more, customer: await customerIdOf(api(), store, customer) })
      return api().get(`${loyaltyPath(store, 'coupons')}?${query}`)
    },
    show: table(COLUMNS, 'There are no coupons yet.')
  })

  addCommand(coupon, terminal, {
    name: 'end',
    summary: 'take a coupon off the platform; points that have bought it stay spent',
    flags: { store: storeFlag, id: numberFlag('a coupon') },
    run: ({ store, id }, { api }) => api().post(`${loyaltyPath(store, 'coupons', id)}/end`, {}),
    show: facts
  })
}
