import type { Command } from 'commander'
import type { AdminApi, Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { CommandError } from '../../command-error.ts'
import { customerIdOf, customerText } from '../../customer-flag.ts'
import { amount, needed, optional, text, toggle } from '../../flags.ts'
import { hashOf } from '../../hash-of.ts'
import { facts, table } from '../../print.ts'
import { formatOf, rowsFileFlags, sendRows } from '../../rows-file.ts'
import { storeFlag, storePath } from '../store-flag.ts'
import { addCreditCodeCommands } from './credit-codes.ts'

const of = { store: storeFlag, customer: needed('--customer <id>', customerText) }
const reasonText = text('the reason, at most 500 characters')
const reason = needed('--reason <text>', reasonText)
const dateFlag = text('a date such as 2026-12-24 (midnight in the shop) or a date-time such as 2026-12-24T12:00:00Z')

/** The store credit of a customer, and its import. */
export function addCreditCommands(program: Command, terminal: Terminal): void {
  const credit = program.command('credit').description('store credit of customers')
  /** A path of the customer's credit; an address is looked up first. */
  const creditPath = async (api: AdminApi, store: string, customer: string, rest = '') =>
    storePath(store, `/store-credits/${encodeURIComponent((await customerIdOf(api, store, customer))!)}${rest}`)

  addCommand(credit, terminal, {
    name: 'show',
    summary: 'show the balance, the totals and the latest entries',
    flags: of,
    run: async ({ store, customer }, { api }) => api().get(await creditPath(api(), store, customer)),
    show: shown
  })

  addCommand(credit, terminal, {
    name: 'add',
    summary: 'add credit by hand',
    flags: {
      ...of,
      amount: needed('--amount <amount>', amount),
      reason,
      expiresAt: optional('--expires-at <time>', dateFlag)
    },
    run: async ({ store, customer, amount, reason, expiresAt }, { api }) =>
      api().post(await creditPath(api(), store, customer, '/add'), { amount, reason, expires_at: expiresAt }),
    show: shown
  })

  addCommand(credit, terminal, {
    name: 'deduct',
    summary: 'deduct credit by hand',
    flags: { ...of, amount: needed('--amount <amount>', amount), reason },
    run: async ({ store, customer, amount, reason }, { api }) =>
      api().post(await creditPath(api(), store, customer, '/deduct'), { amount, reason }),
    show: shown
  })

  addCommand(credit, terminal, {
    name: 'forfeit',
    summary: 'take all available credit of a customer; what a checkout has reserved stays',
    flags: { ...of, reason: optional('--reason <text>', reasonText) },
    run: async ({ store, customer, reason = 'forfeited by hand' }, { api }) =>
      api().post(await creditPath(api(), store, customer, '/forfeit'), { reason }),
    show: shown
  })

  addCommand(credit, terminal, {
    name: 'reconcile',
    summary: 'compare the accounts on the platform, or set the balance that is right by an entry of the difference',
    flags: {
      store: storeFlag,
      customer: optional('--customer <id>', { ...customerText, accepts: `${customerText.accepts} (default: all)` }),
      balance: optional('--balance <amount>', amount),
      reason: optional('--reason <text>', reasonText)
    },
    run: async ({ store, customer, balance, reason = 'reconciled by hand' }, { api }) => {
      if (balance === undefined) {
        const body = customer === undefined ? {} : { customer: await customerIdOf(api(), store, customer) }
        return api().post(storePath(store, '/store-credits/reconcile'), body)
      }
      if (customer === undefined)
        throw new CommandError('invalid_request', 'Give --customer too: --balance is that of one customer')
      return api().post(await creditPath(api(), store, customer, '/reconcile'), { balance, reason })
    },
    show: (done) => ('scope' in done ? facts(done) : shown(done))
  })

  addCommand(credit, terminal, {
    name: 'platform',
    summary: 'show what the customer has on the platform, beside what the ledger has; changes nothing',
    flags: of,
    run: async ({ store, customer }, { api }) => api().get(await creditPath(api(), store, customer, '/platform')),
    show: facts
  })

  addCommand(credit, terminal, {
    name: 'expire',
    summary: 'expire all credit of the store whose date has passed; the service does so by itself a moment later',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().post(storePath(store, '/store-credits/expire'), {}),
    show: facts
  })

  addCreditCodeCommands(credit, terminal, creditPath)

  addCommand(credit, terminal, {
    name: 'import',
    summary: 'import credit from a CSV or NDJSON file; repeat the command to continue an interrupted import',
    flags: {
      path: rowsFileFlags.path,
      store: storeFlag,
      format: rowsFileFlags.format,
      dryRun: toggle('--dry-run', 'only report what the import would do')
    },
    run: async ({ path, store, format, dryRun = false }, { api, failed }) => {
      const query = new URLSearchParams({ sha256: await hashOf(path), dry_run: String(dryRun) })
      const target = storePath(store, `/store-credits/import?${query}`)
      const report = await sendRows(api(), target, path, formatOf(path, format))
      if (Number(report.refused) > 0) failed()
      return report
    },
    show: facts
  })
}

function shown({ entries, ...account }: Document): string {
  const columns = [
    'id',
    'type',
    'amount',
    'shortfall',
    'balance_after',
    'reason',
    'order_id',
    'expires_at',
    'created_at'
  ]
  return `${facts(account)}\n${table(columns, 'There are no entries yet.')({ data: entries })}`
}
