import { definePublicFact } from '#kit/outbox'
import { creditEvent, snapshotOf } from './credit-event.ts'

export const creditAdded = definePublicFact(
  'store_credit.added',
  creditEvent('Store credit was added', { new_balance: 30, reason: 'Sorry for the late parcel' }),
  snapshotOf
)
