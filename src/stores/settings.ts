import { invalidField } from '#kit/refusal'

/** What happens after the last retry of a failed renewal. */
const ON_FAILURE = ['cancel', 'pause', 'fail'] as const

export type DunningSettings = {
  /** Days from each decline to the next try. */
  retryAfterDays: number[]
  onFailure: (typeof ON_FAILURE)[number]
}

/** The part of a store's settings that is kept: what differs from the defaults. */
export type KeptSettings = { dunning?: Partial<DunningSettings> }

const DUNNING: DunningSettings = { retryAfterDays: [2, 5, 7, 7], onFailure: 'cancel' }

export function dunningOf(kept: KeptSettings): DunningSettings {
  return { ...DUNNING, ...kept.dunning }
}

/** Refuses a ladder that billing could not walk. */
export function checkDunning(dunning: Partial<DunningSettings>): Partial<DunningSettings> {
  const { retryAfterDays, onFailure } = dunning
  if (
    retryAfterDays &&
    (retryAfterDays.length > 10 || !retryAfterDays.every((days) => Number.isInteger(days) && days >= 1 && days <= 60))
  ) {
    throw invalidField('dunning.retryAfterDays', 'takes at most 10 whole numbers of days from 1 to 60')
  }
  if (onFailure && !ON_FAILURE.includes(onFailure)) {
    throw invalidField('dunning.onFailure', `takes ${ON_FAILURE.join(', ')}`)
  }
  return dunning
}
