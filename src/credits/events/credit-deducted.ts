import { definePublicFact } from '#kit/outbox'
import { creditEvent, snapshotOf } from './credit-event.ts'

export const creditDeducted = definePublicFact(
  'store_credit.deducted',
  creditEvent('Store credit was deducted', { new_balance: 20, reason: 'Corrected: the parcel came in time' }),
  snapshotOf
)
