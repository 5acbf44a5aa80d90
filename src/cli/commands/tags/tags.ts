import type { Command } from 'commander'
import type { AdminApi, Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { CommandError } from '../../command-error.ts'
import { customerIdOf, customerText } from '../../customer-flag.ts'
import { matching, optional } from '../../flags.ts'
import { isAllSynced, mayBeLeft } from '../../is-all-synced.ts'
import { nextComparison } from '../../next-comparison.ts'
import { lines, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const oneOwner = {
  store: storeFlag,
  customer: optional('--customer <customer>', customerText),
  order: optional(
    '--order <order>',
    matching(
      "the platform's number of an order, its global id, or our id such as ord_7",
      /^(\d{1,20}|gid:\/\/\S+|ord_\d{1,19})$/
    )
  )
}

/** The tags that the service keeps on customers and orders of the platform. */
export function addTagCommands(program: Command, terminal: Terminal): void {
  const tags = program
    .command('tags')
    .description('the tags that the service keeps on customers and orders of the platform')

  addCommand(tags, terminal, {
    name: 'diff',
    summary:
      'compare the tags of a store, a customer or an order with the platform; changes nothing; the exit code is 1 when some differ',
    flags: oneOwner,
    run: async (given, { api, failed }) => {
      const one = await ownerOf(api(), given)
      const data: Document[] = []
      let compared = 0
      let next_comparison_at: unknown = null
      let after: string | undefined
      do {
        const page: Document = await api().get(storePath(given.store, `/tags?${queryOf({ ...one, after })}`))
        data.push(...(page.data as Document[]))
        compared += page.compared as number
        next_comparison_at = page.next_comparison_at
        after = (page.next as string | null) ?? undefined
      } while (after !== undefined)
      if (data.some(isDifferent)) failed()
      return { data, compared, next_comparison_at }
    },
    show: ({ data, compared, next_comparison_at: nextAt }, { store }) =>
      table(
        ['kind', 'platform_id', 'wanted', 'missing', 'surplus', 'waiting_since', 'next_try_at', 'problem'],
        'The tags on the platform are as they should be.'
      )({ data: (data as Document[]).map((one) => ({ ...one, problem: one.problem ?? one.last_error })) }) +
      lines(['', `${compared} compared`, ...nextComparison(nextAt, `perennial tags sync --store ${store}`)])
  })

  addCommand(tags, terminal, {
    name: 'sync',
    summary: 'correct the tags of a store, a customer or an order now; the exit code is 1 when some are left',
    flags: oneOwner,
    settles: true,
    run: async (given, { api, failed }) => {
      const synced = await api().post(storePath(given.store, '/tags/sync'), await ownerOf(api(), given))
      if (!isAllSynced(synced)) failed()
      return synced
    },
    show: (synced, { store }) => {
      const { scope, compared, added, removed, waiting, problems, last_error: error } = synced
      return lines([
        added === null
          ? `The tags of the ${scope} are compared and corrected in the background.`
          : `Compared: ${compared ?? 'not all'}. Added: ${added}. Removed: ${removed}. Left: ${waiting} waiting, ${problems} with a problem.`,
        ...(error ? [`The comparison waits: ${error}`] : []),
        ...(mayBeLeft(synced) ? [`To see what is left: perennial tags diff --store ${store}`] : [])
      ])
    }
  })
}

/** One that only waits to be compared may be as it should be; of one customer or order, so may be what is listed. */
const isDifferent = ({ missing, surplus, problem }: Document): boolean =>
  (missing as unknown[]).length > 0 || (surplus as unknown[]).length > 0 || problem !== null

async function ownerOf(
  api: AdminApi,
  { store, customer, order }: { store: string; customer: string | undefined; order: string | undefined }
) {
  if (customer !== undefined && order !== undefined) {
    throw new CommandError('invalid_request', 'Give --customer or --order, not both')
  }
  return { customer: await customerIdOf(api, store, customer), order }
}
