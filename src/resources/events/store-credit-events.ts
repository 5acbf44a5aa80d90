import { Type } from 'typebox'
import { PersonBody } from '../customer.ts'
import { exampleOf } from '../example-of.ts'
import { Amount, OrNull } from '../fields.ts'
import { defineEvent } from './define-event.ts'

const entry = {
  transaction_id: Type.String({ description: 'The id of the store credit entry, `sct_8`' }),
  customer: PersonBody,
  amount: Amount('Always positive; the event type says whether it was added or deducted'),
  currency: Type.String({ description: 'ISO 4217' }),
  previous_balance: Amount('Before the change'),
  new_balance: Amount('After the change'),
  reason: Type.String({ description: 'The reason, as text' }),
  order_id: OrNull(Type.String({ description: 'The order that the credit came from or was spent on' }))
}

const shown = {
  transaction_id: 'sct_8',
  customer: exampleOf(PersonBody),
  amount: 5,
  currency: 'USD',
  previous_balance: 25,
  order_id: null
}

export const storeCreditEvents = {
  'store_credit.added': defineEvent('Store credit was added', entry, null, {
    ...shown,
    new_balance: 30,
    reason: 'Sorry for the late parcel'
  }),
  'store_credit.deducted': defineEvent('Store credit was deducted', entry, null, {
    ...shown,
    new_balance: 20,
    reason: 'Corrected: the parcel came in time'
  })
} as const
