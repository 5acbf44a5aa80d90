import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, requireOneOf, type Terminal } from '../command.ts'
import { amount, type Flags, jsonFile, list, needed, oneOf, optional, text, wholeNumber } from '../flags.ts'
import { facts, table } from '../print.ts'
import { storeFlag, storePath } from './store-flag.ts'

const interval = oneOf('day', 'week', 'month', 'year')
const intervalCount = { ...wholeNumber(1, 28), accepts: 'intervals per cycle, from 1 to 28' }
const credit = { ...amount, accepts: 'store credit for each paid cycle, a decimal amount such as 29.00' }
const planFlag = needed('--id <plan>', text('a plan id such as plan_3'))

/** Settings that can be given at creation and changed later. */
const settings = {
  trialType: optional('--trial-type <type>', {
    ...oneOf('next_billing_date', 'days'),
    accepts: 'how long a trial lasts: until the next_billing_date, or a number of days'
  }),
  trialDays: optional('--trial-days <days>', wholeNumber(0, 365)),
  trialPrice: optional('--trial-price <amount>', {
    ...amount,
    accepts: 'the price of the trial (default: 0)'
  }),
  maxCycles: optional('--max-cycles <n>', {
    ...wholeNumber(0, 1000),
    accepts: 'number of paid cycles after which it ends, from 1 to 1000; 0 for no limit'
  }),
  countries: optional('--countries <codes>', list('countries whose customers may join, such as US,CA')),
  products: optional('--products <ids>', list('platform product ids, for a product plan')),
  perks: optional('--perks <file>', jsonFile('perks'))
} satisfies Flags

/** The terms of a version; those that are left out stay. */
const versionTerms = {
  price: optional('--price <amount>', amount),
  interval: optional('--interval <unit>', interval),
  intervalCount: optional('--interval-count <n>', intervalCount),
  credit: optional('--credit <amount>', credit)
} satisfies Flags

type Settings = {
  trialType?: string
  trialDays?: number
  trialPrice?: string
  maxCycles?: number
  countries?: string[]
  products?: string[]
  perks?: unknown
}

export function addPlanCommands(program: Command, terminal: Terminal): void {
  const plan = program.command('plan').description('membership plans and product plans')

  addCommand(plan, terminal, {
    name: 'create',
    summary: 'create a membership plan or a product plan',
    flags: {
      store: storeFlag,
      name: needed('--name <name>', text('the name of the plan, such as VIP')),
      type: needed('--type <type>', oneOf('vip', 'elite', 'product')),
      price: needed('--price <amount>', amount),
      interval: needed('--interval <unit>', interval),
      intervalCount: optional('--interval-count <n>', {
        ...intervalCount,
        accepts: `${intervalCount.accepts} (default: 1)`
      }),
      tier: optional('--tier <name>', text("the tier that a membership gives (default: the plan's name)")),
      credit: optional('--credit <amount>', credit),
      ...settings
    },
    run: ({ store, name, type, price, interval, intervalCount, tier, credit, ...given }, { api }) => {
      const requested = { name, type, price, interval, interval_count: intervalCount, tier, credit }
      return api().post(storePath(store, '/plans'), { ...requested, ...settingsFrom(given) })
    },
    show: facts
  })

  addCommand(plan, terminal, {
    name: 'list',
    summary: 'list the plans of a store',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/plans')),
    show: table(
      [
        'id',
        'name',
        'type',
        'status',
        'tier',
        'price',
        'currency',
        'interval',
        'interval_count',
        'trial_days',
        'credit'
      ],
      'The store has no plans yet.'
    )
  })

  addCommand(plan, terminal, {
    name: 'show',
    summary: 'show a plan with its perks and versions',
    flags: { store: storeFlag, id: planFlag },
    run: ({ store, id }, { api }) => api().get(planPath(store, id)),
    show: facts
  })

  addCommand(plan, terminal, {
    name: 'update',
    summary: "change a plan's trial, number of cycles, countries, products or perks",
    flags: { store: storeFlag, id: planFlag, ...settings },
    run: ({ store, id, ...given }, { api }) => {
      requireOneOf(settings, given)
      return api().patch(planPath(store, id), settingsFrom(given))
    },
    show: facts
  })

  addCommand(plan, terminal, {
    name: 'price',
    summary: 'create a new version of a plan with another price, interval or credit',
    flags: {
      store: storeFlag,
      id: planFlag,
      applyTo: needed('--apply-to <whom>', {
        ...oneOf('new', 'list_price', 'all', 'running'),
        accepts:
          'new: new subscriptions only; list_price: also existing ones that pay the old list price, from their next cycle; all: also where another price was agreed; running: list_price'
      }),
      ...versionTerms
    },
    run: ({ store, id, applyTo, intervalCount, ...numbers }, { api }) =>
      api().post(planPath(store, id, '/versions'), { ...numbers, interval_count: intervalCount, apply_to: applyTo }),
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
        accepts: 'list_price (default, also running) or all, as of `plan price`'
      }),
      ...versionTerms,
      after: optional('--after <subscription>', text('the last subscription of the page before, such as sub_24')),
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of subscriptions, from 1 to 100 (default: 50)'
      })
    },
    run: ({ store, id, applyTo, price, interval, intervalCount, credit, after, limit }, { api }) => {
      const asked = { price, interval, interval_count: intervalCount, credit, apply_to: applyTo, after, limit }
      const given = Object.entries(asked).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]]
      )
      return api().get(planPath(store, id, `/versions/preview?${new URLSearchParams(given)}`))
    },
    show: previewed
  })

  for (const [name, status, summary] of [
    ['disable', 'disabled', 'stop selling a plan; its subscriptions continue'],
    ['enable', 'enabled', 'sell a plan again']
  ] as const) {
    addCommand(plan, terminal, {
      name,
      summary,
      flags: { store: storeFlag, id: planFlag },
      run: ({ store, id }, { api }) => api().patch(planPath(store, id), { status }),
      show: facts
    })
  }
}

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
  const more = next === null ? '' : `\nMore follow: --after ${String(next)}\n`
  return `${facts(about)}\n${list}${more}`
}

const inWords = ({ price, unit_price: unitPrice, interval, interval_count: count }: Document) =>
  `${price === null ? `${String(unitPrice)} each` : String(price)} per ${count === 1 ? '' : `${String(count)} `}${String(interval)}`

function settingsFrom({ trialType, trialDays, trialPrice, maxCycles, countries, products, perks }: Settings) {
  return {
    trial_type: trialType,
    trial_days: trialDays,
    trial_price: trialPrice,
    max_cycles: maxCycles === 0 ? null : maxCycles,
    allowed_countries: countries,
    product_ids: products,
    perks
  }
}

function planPath(store: string, id: string, rest = ''): string {
  return storePath(store, `/plans/${encodeURIComponent(id)}${rest}`)
}
