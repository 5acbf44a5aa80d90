import type { Command } from 'commander'
import { addCommand, requireOneOf, type Terminal } from '../../command.ts'
import { amount, type Flags, jsonFile, list, needed, oneOf, optional, text, wholeNumber } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'
import { credit, interval, intervalCount, planFlag, planPath } from './plan-flags.ts'
import { addPlanPriceCommands } from './plan-price.ts'

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

  addPlanPriceCommands(plan, terminal)

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
