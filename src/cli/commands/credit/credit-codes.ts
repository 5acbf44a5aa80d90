import type { Command } from 'commander'
import type { AdminApi } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { customerText } from '../../customer-flag.ts'
import { amount, matching, needed, optional, wholeNumber } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag } from '../store-flag.ts'

const minutes = wholeNumber(1, 1440)
const codeText = matching(
  'the id of a credit code such as scc_3, or the code itself, which begins with SC-',
  /^(scc_\d{1,18}|SC-\S{1,100})$/i
)
const COLUMNS = ['id', 'status', 'code', 'amount', 'used_amount', 'order_id', 'ended_by', 'problem', 'expires_at']

/** A path of a customer's credit. */
type CreditPath = (api: AdminApi, store: string, customer: string, rest?: string) => Promise<string>

/** Discount codes that spend the store credit of a customer. */
export function addCreditCodeCommands(credit: Command, terminal: Terminal, creditPath: CreditPath): void {
  const code = credit.command('code').description('discount codes that spend store credit (store_credit_type coupon)')
  const of = { store: storeFlag, customer: needed('--customer <id>', customerText) }

  addCommand(code, terminal, {
    name: 'create',
    summary: 'reserve credit and have a code made of it',
    flags: {
      ...of,
      amount: optional('--amount <amount>', {
        ...amount,
        accepts: `${amount.accepts} (default: all that is available)`
      }),
      duration: optional('--duration <minutes>', { ...minutes, accepts: `${minutes.accepts} minutes (default: 60)` })
    },
    run: async ({ store, customer, amount, duration }, { api }) =>
      api().post(await creditPath(api(), store, customer, '/codes'), { amount, duration }),
    show: facts
  })

  addCommand(code, terminal, {
    name: 'list',
    summary: 'list the codes of a customer, newest first',
    flags: of,
    run: async ({ store, customer }, { api }) => api().get(await creditPath(api(), store, customer, '/codes')),
    show: table(COLUMNS, 'There are no codes yet.')
  })

  addCommand(code, terminal, {
    name: 'revoke',
    summary: 'take a code off the platform; its credit is available again a few minutes later',
    flags: { ...of, code: needed('--code <code>', codeText) },
    run: async ({ store, customer, code }, { api }) =>
      api().post(await creditPath(api(), store, customer, `/codes/${encodeURIComponent(code)}/revoke`), {}),
    show: facts
  })
}
