import type { Command } from 'commander'
import { beginningOf } from '#kit/texts'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { customerIdOf, customerText } from '../../customer-flag.ts'
import { optional } from '../../flags.ts'
import { isAllSynced, mayBeLeft } from '../../is-all-synced.ts'
import { nextComparison } from '../../next-comparison.ts'
import { lines, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const oneCustomer = { store: storeFlag, customer: optional('--customer <customer>', customerText) }

/** The metafields that the service keeps on the shop and its customers. */
export function addMetafieldCommands(program: Command, terminal: Terminal): void {
  const metafields = program
    .command('metafields')
    .description('the metafields that the service keeps on the shop and its customers')

  addCommand(metafields, terminal, {
    name: 'diff',
    summary:
      'compare the metafields of a store or a customer with the platform; changes nothing; the exit code is 1 when some differ',
    flags: oneCustomer,
    run: async ({ store, customer: given }, { api, failed }) => {
      const customer = await customerIdOf(api(), store, given)
      const differences: unknown[] = []
      let compared = 0
      let next_comparison_at: unknown = null
      let after: string | undefined
      do {
        const page: Document = await api().get(storePath(store, `/metafields?${queryOf({ customer, after })}`))
        differences.push(...(page.differences as unknown[]))
        compared += page.compared as number
        next_comparison_at = page.next_comparison_at
        after = (page.next as string | null) ?? undefined
      } while (after !== undefined)
      if (differences.length > 0) failed()
      return { differences, compared, next_comparison_at }
    },
    show: ({ differences, compared, next_comparison_at: nextAt }, { store, customer }) =>
      table(
        ['owner', 'platform_id', 'key', 'wanted', 'found', 'waiting_since', 'next_try_at', 'problem'],
        'The metafields on the platform are as they should be.'
      )({
        data: (differences as Document[]).map((one) => ({
          ...one,
          wanted: inTable(one.wanted),
          found: inTable(one.found),
          problem: one.problem ?? one.last_error
        }))
      }) +
      lines([
        '',
        customer === undefined
          ? `${compared} compared: the shop, its discounts and customers`
          : `${customers(compared as number)} compared`,
        ...nextComparison(nextAt, `perennial metafields sync --store ${store}`)
      ])
  })

  addCommand(metafields, terminal, {
    name: 'sync',
    summary: 'correct the metafields of a store or a customer now; the exit code is 1 when some are left',
    flags: oneCustomer,
    settles: true,
    run: async ({ store, customer }, { api, failed }) => {
      const one = { customer: await customerIdOf(api(), store, customer) }
      const synced = await api().post(storePath(store, '/metafields/sync'), one)
      if (!isAllSynced(synced)) failed()
      return synced
    },
    show: (synced, { store }) => {
      const { scope, compared, written, deleted, changed_by_others: changed, waiting, problems, last_error } = synced
      return lines([
        written === null
          ? `The metafields of the ${scope} are compared and corrected in the background.`
          : `Compared: ${compared === null ? 'not all' : customers(compared as number)}. Set: ${written}. Deleted: ${deleted}. Left: ${waiting} waiting, ${problems} with a problem.`,
        ...(changed ? [`Changed by others: ${changed}. What was there: perennial alert list --store ${store}`] : []),
        ...(written !== null && compared === null
          ? [
              `The comparison goes on in the background${last_error ? `: ${last_error}` : ''}. To see why it waits: perennial status --store ${store}`
            ]
          : []),
        ...(mayBeLeft(synced) ? [`To see what is left: perennial metafields diff --store ${store}`] : [])
      ])
    }
  })
}

/** Values are JSON of up to some thousand characters: `--json` has them whole. */
const MAX_SHOWN = 40
const inTable = (value: unknown) => (typeof value === 'string' ? beginningOf(value, MAX_SHOWN) : value)

const customers = (count: number) => `${count} ${count === 1 ? 'customer' : 'customers'}`
