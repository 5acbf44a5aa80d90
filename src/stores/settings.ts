import { invalidField } from '#kit/refusal'

/** What happens when a renewal is given up. */
const ON_FAILURE = ['cancel', 'pause', 'fail'] as const
/** As above, for goods that are not there: `skip` passes the cycle over. */
const ON_INVENTORY_FAILURE = ['skip', 'pause', 'cancel', 'fail'] as const
/** Which of several cycles that were missed while the service was down are billed. */
const CATCH_UP = ['latest', 'all'] as const

/** Retries of what was declined, and what follows the last. */
export type Ladder<Ending extends string> = {
  /** Days from each decline to the next try. */
  retryAfterDays: number[]
  onFailure: Ending
}

export type DunningSettings = Ladder<(typeof ON_FAILURE)[number]> & {
  /** How long a charge waits for a new payment method before it is given up; null: for ever. */
  hardDeclineWaitDays: number | null
  /** Of charges that fail because goods are not there. */
  inventory: Ladder<(typeof ON_INVENTORY_FAILURE)[number]>
}

export type BillingSettings = { catchUp: (typeof CATCH_UP)[number] }

/** Of payments that their customer has to confirm. */
export type ActionRequiredSettings = {
  /** How long after a customer was first asked they are reminded. */
  remindAfterHours: number[]
}

/** What the people who run a store may set. */
export type StoreSettings = {
  dunning: DunningSettings
  billing: BillingSettings
  actionRequired: ActionRequiredSettings
  /** For how long a cancellation can be taken back; 0: not at all. */
  reactivationGraceHours: number
}

/** The part of a store's settings that is kept: what differs from the defaults. */
export type KeptSettings = {
  dunning?: Partial<Omit<DunningSettings, 'inventory'>> & { inventory?: Partial<DunningSettings['inventory']> }
  billing?: Partial<BillingSettings>
  actionRequired?: Partial<ActionRequiredSettings>
  reactivationGraceHours?: number
}

const DEFAULT_SETTINGS: StoreSettings = {
  dunning: {
    retryAfterDays: [2, 5, 7, 7],
    onFailure: 'cancel',
    // As long as the ladder.
    hardDeclineWaitDays: 21,
    inventory: { retryAfterDays: [1, 1, 2, 3, 7], onFailure: 'skip' }
  },
  billing: { catchUp: 'latest' },
  actionRequired: { remindAfterHours: [24, 72] },
  reactivationGraceHours: 0
}

/** With the defaults for all that is not kept. */
export function settingsOf(kept: KeptSettings): StoreSettings {
  const { dunning, billing, actionRequired, reactivationGraceHours } = DEFAULT_SETTINGS
  return {
    dunning: { ...dunning, ...kept.dunning, inventory: { ...dunning.inventory, ...kept.dunning?.inventory } },
    billing: { ...billing, ...kept.billing },
    actionRequired: { ...actionRequired, ...kept.actionRequired },
    reactivationGraceHours: kept.reactivationGraceHours ?? reactivationGraceHours
  }
}

/** What is kept after a change: fields that the change leaves out stay as they were. */
export function changedSettings(kept: KeptSettings, change: KeptSettings): KeptSettings {
  const inventory = { ...kept.dunning?.inventory, ...change.dunning?.inventory }
  const dunning = { ...kept.dunning, ...change.dunning, inventory }
  const billing = { ...kept.billing, ...change.billing }
  const actionRequired = { ...kept.actionRequired, ...change.actionRequired }
  return { ...kept, ...change, dunning, billing, actionRequired }
}

/** Refuses what billing could not go by. Fields are named as the operator API writes them. */
export function checkSettings(settings: KeptSettings): KeptSettings {
  const { dunning, billing, actionRequired, reactivationGraceHours: grace } = settings
  checkLadder('dunning', dunning, ON_FAILURE)
  checkLadder('dunning.inventory', dunning?.inventory, ON_INVENTORY_FAILURE)
  const wait = dunning?.hardDeclineWaitDays
  if (wait !== undefined && wait !== null && !isWhole(wait, 1, 365)) {
    throw invalidField('dunning.hard_decline_wait_days', 'takes a whole number of days from 1 to 365, or null for ever')
  }
  if (billing?.catchUp !== undefined && !CATCH_UP.includes(billing.catchUp)) {
    throw invalidField('billing.catch_up', `takes ${CATCH_UP.join(' or ')}`)
  }
  const hours = actionRequired?.remindAfterHours
  if (
    hours !== undefined &&
    (hours.length > 5 || !hours.every((hour, i) => isWhole(hour, (hours[i - 1] ?? 0) + 1, 168)))
  ) {
    throw invalidField(
      'action_required.remind_after_hours',
      'takes at most 5 whole numbers of hours from 1 to 168, each above the one before'
    )
  }
  if (grace !== undefined && !isWhole(grace, 0, 720)) {
    throw invalidField('reactivation_grace_hours', 'takes a whole number of hours from 0 to 720')
  }
  return settings
}

function checkLadder(field: string, ladder: Partial<Ladder<string>> | undefined, endings: readonly string[]) {
  const { retryAfterDays: days, onFailure } = ladder ?? {}
  if (days !== undefined && (days.length > 10 || !days.every((day) => isWhole(day, 1, 60)))) {
    throw invalidField(`${field}.retry_after_days`, 'takes at most 10 whole numbers of days from 1 to 60')
  }
  if (onFailure !== undefined && !endings.includes(onFailure)) {
    throw invalidField(`${field}.on_failure`, `takes ${endings.join(', ')}`)
  }
}

const isWhole = (value: number, min: number, max: number) => Number.isInteger(value) && value >= min && value <= max
