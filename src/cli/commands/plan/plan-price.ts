import type { Command } from 'commander'
import type { AdminApi, Document } from '../../admin-api.ts'
import { ask, mayAsk } from '../../ask.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { badUsage, CommandError } from '../../command-error.ts'
import { amount, type Flags, needed, oneOf, optional, text, toggle, wholeNumber } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag } from '../store-flag.ts'
import { credit, interval, intervalCount, planFlag, planPath } from './plan-flags.ts'

/** The terms of a version; those that are left out stay. */
const versionTerms = {
  price: optional('--price <amount>', amount),
  interval: optional('--interval <unit>', interval),
  intervalCount: optional('--interval-count <n>', intervalCount),
  credit: optional('--credit <amount>', credit)
} satisfies Flags

/** `perennial plan price` and `price-preview`: a version of a plan, previewed before it is added. */
export function addPlanPriceCommands(plan: Command, terminal: Terminal): void {
  addCommand(plan, terminal, {
    name: 'price',
    summary: 'create a new version of a plan with another price, interval or credit; what is left out stays',
    flags: {
      store: storeFlag,
      id: planFlag,
      applyTo: needed('--apply-to <whom>', {
        ...oneOf('new', 'list_price', 'all', 'running'),
        accepts:
          'new: new subscriptions only; list_price: also active and paused ones that pay the list price so far, from their next cycle; all: also those whose price was agreed with one person; running: the same as list_price'
      }),
      ...versionTerms,
      preview: optional(
        '--preview <id>',
        text('what `plan price-preview` printed as `preview`, with the same terms; not needed with --apply-to new')
      ),
      yes: toggle('--yes', 'print the preview and create the version without asking; for scripts')
    },
    run: async ({ store, id, applyTo, preview, yes, ...terms }, { api, err }) => {
      const requested = { ...fieldsOf(terms), apply_to: applyTo }
      const isOfNew = applyTo === 'new'
      if (!isOfNew && preview === undefined && !yes && !mayAsk()) {
        throw badUsage(
          `With --apply-to ${applyTo}, --preview <id> (of \`plan price-preview\`) or --yes is required where nobody can be asked (standard input is no terminal)`
        )
      }
      const seen =
        isOfNew || preview !== undefined ? preview : await confirmed(api(), { store, id, requested, yes, err })
      return api().post(planPath(store, id, '/versions'), { ...requested, preview: seen })
    },
    show: facts
  })

  addCommand(plan, terminal, {
    name: 'price-preview',
    summary: 'show who would get which price by a new version, without creating it',
    flags: {
      store: storeFlag,
      id: planFlag,
      applyTo: optional('--apply-to <whom>', {
        ...oneOf('list_price', 'all', 'running'),
        accepts: 'list_price (the default; running is the same) or all, as in `plan price`'
      }),
      ...versionTerms,
      after: optional('--after <subscription>', text('the last subscription of the page before, such as sub_24')),
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of subscriptions, from 1 to 100 (default: 50)'
      })
    },
    run: ({ store, id, applyTo, after, limit, ...terms }, { api }) =>
      readPreview(api(), store, id, { ...fieldsOf(terms), apply_to: applyTo, after, limit }),
    show: previewed
  })
}

/** Shows the preview, and asks unless `yes` is given. Returns what names the preview. */
async function confirmed(
  api: AdminApi,
  asked: { store: string; id: string; requested: object; yes: boolean | undefined; err: NodeJS.WriteStream }
): Promise<string> {
  const { store, id, requested, yes, err } = asked
  const preview = await readPreview(api, store, id, requested)
  err.write(previewed(preview))
  if (!yes && !/^y(es)?$/i.test(await ask('Create this version? [y/N] ', err))) {
    throw new CommandError('usage', 'Not confirmed: nothing is changed')
  }
  return preview.preview as string
}

function readPreview(api: AdminApi, store: string, id: string, asked: object): Promise<Document> {
  const given = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return api.get(planPath(store, id, `/versions/preview?${new URLSearchParams(given)}`))
}

const fieldsOf = ({ intervalCount, ...terms }: { intervalCount?: number; [term: string]: unknown }) => ({
  ...terms,
  interval_count: intervalCount
})

/** The totals, and a row for each subscription: what it pays now and then, or why it keeps that. */
function previewed(preview: Document): string {
  const { data, next, ...about } = preview
  const rows = (data as Document[]).map(({ from, to, ...row }) => ({
    ...row,
    from: inWords(from as Document),
    to: row.outcome === 'changed' ? inWords(to as Document) : null
  }))
  const list = table(
    ['subscription_id', 'email', 'status', 'outcome', 'reason', 'from', 'to'],
    'No running subscription has an earlier version.'
  )({ data: rows })
  const more = next === null ? '' : `\nMore follow: plan price-preview --after ${String(next)}\n`
  return `${facts(about)}\n${list}${more}`
}

const inWords = ({ price, unit_price: unitPrice, interval, interval_count: count }: Document) =>
  `${price === null ? `${String(unitPrice)} each` : String(price)} per ${count === 1 ? '' : `${String(count)} `}${String(interval)}`
