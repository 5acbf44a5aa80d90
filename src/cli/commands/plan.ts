import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { amount, needed, oneOf, optional, text, wholeNumber } from '../flags.ts'
import { facts, table } from '../print.ts'
import { aStore, storePath } from './of-store.ts'

export function addPlanCommands(program: Command, terminal: Terminal): void {
  const plan = program.command('plan').description('what members can join')

  addCommand(plan, terminal, {
    name: 'create',
    summary: 'make a membership plan',
    flags: {
      store: aStore,
      name: needed('--name <name>', text('what the plan is called, such as VIP')),
      type: needed('--type <type>', oneOf('vip', 'elite')),
      price: needed('--price <amount>', amount),
      interval: needed('--interval <unit>', oneOf('day', 'week', 'month', 'year')),
      intervalCount: optional('--interval-count <n>', {
        ...wholeNumber(1, 28),
        takes: 'how many intervals a cycle lasts, from 1 to 28 (default: 1)'
      }),
      tier: optional('--tier <name>', text("the tier that the plan gives (default: the plan's name)")),
      trialDays: optional('--trial-days <days>', wholeNumber(0, 365)),
      credit: optional('--credit <amount>', {
        ...amount,
        takes: 'store credit issued for each paid cycle, a decimal amount such as 29.00'
      })
    },
    run: ({ store, intervalCount, trialDays, ...wish }, { api }) =>
      api().post(storePath(store, '/plans'), { ...wish, interval_count: intervalCount, trial_days: trialDays }),
    show: facts
  })

  addCommand(plan, terminal, {
    name: 'list',
    summary: 'the plans of a store',
    flags: { store: aStore },
    run: ({ store }, { api }) => api().get(storePath(store, '/plans')),
    show: table(
      ['id', 'name', 'type', 'tier', 'price', 'currency', 'interval', 'interval_count', 'trial_days', 'credit'],
      'The store has no plan yet.'
    )
  })
}
