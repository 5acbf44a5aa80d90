import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { days, hours, oneOf, optional, orWord, wholeNumber } from '../flags.ts'
import { facts } from '../print.ts'
import { aStore, storePath } from './of-store.ts'

/** Shows what a store has set; with flags, changes that. */
export function addStoreSettingsCommand(store: Command, terminal: Terminal): void {
  addCommand(store, terminal, {
    name: 'settings',
    summary: 'how failed charges are treated, and what else a store sets; flags change it',
    flags: {
      store: aStore,
      retryAfterDays: optional('--retry-after-days <list>', days),
      onFailure: optional('--on-failure <what>', oneOf('cancel', 'pause', 'fail')),
      hardDeclineWaitDays: optional('--hard-decline-wait-days <days>', orWord('never', wholeNumber(1, 365))),
      inventoryRetryAfterDays: optional('--inventory-retry-after-days <list>', days),
      inventoryOnFailure: optional('--inventory-on-failure <what>', oneOf('skip', 'pause', 'cancel', 'fail')),
      catchUp: optional('--catch-up <which>', oneOf('latest', 'all')),
      remindAfterHours: optional('--remind-after-hours <list>', hours),
      reactivationGraceHours: optional('--reactivation-grace-hours <hours>', wholeNumber(0, 720))
    },
    run: ({ store, ...given }, { api }) => {
      const path = storePath(store, '/settings')
      if (Object.values(given).every((value) => value === undefined)) return api().get(path)
      return api().patch(path, {
        dunning: {
          retry_after_days: given.retryAfterDays,
          on_failure: given.onFailure,
          hard_decline_wait_days: given.hardDeclineWaitDays === 'never' ? null : given.hardDeclineWaitDays,
          inventory: {
            retry_after_days: given.inventoryRetryAfterDays,
            on_failure: given.inventoryOnFailure
          }
        },
        billing: { catch_up: given.catchUp },
        action_required: { remind_after_hours: given.remindAfterHours },
        reactivation_grace_hours: given.reactivationGraceHours
      })
    },
    show: facts
  })
}
