import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { invalidField, Refusal } from '#kit/refusal'
import { TIER_NAMES } from '#plans'

export const notGiven = (id: number) =>
  new Refusal('conflict', `Subscription ${publicId('sub', id)} is not given to anybody`)

export const onlyMemberships = (id: number) =>
  new Refusal('conflict', `Subscription ${publicId('sub', id)} is for products: only a membership can be given away`)

export const receiverNotFound = (id: number) =>
  new Refusal('not_found', `There is no customer ${publicId('cust', id)}`, [
    { field: 'receiver', code: 'not_found', message: 'must be a customer of the store' }
  ])

/** A second membership of a tier gives nothing to who has one. */
export const alreadyMember = (id: number, tier: keyof typeof TIER_NAMES) =>
  new Refusal('conflict', `Customer ${publicId('cust', id)} has an active ${TIER_NAMES[tier]} membership already`, [
    { field: 'receiver', code: 'invalid', message: 'must be a customer without an active membership of this tier' }
  ])

export const afterFirstCharge = (dueAt: Temporal.Instant) =>
  invalidField(
    'next_billing_date',
    `must not be after ${isoOf(dueAt)}: the first charge after a trial cannot be postponed`
  )

export const afterTrial = (trialEndsAt: Temporal.Instant) =>
  invalidField(
    'next_billing_date',
    `must not be after ${isoOf(trialEndsAt)}, when the trial ends: a trial cannot be made longer`
  )
