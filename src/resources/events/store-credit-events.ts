import { Type } from 'typebox'
import { PersonBody } from '../customer.ts'
import { exampleOf } from '../example-of.ts'
import { OrNull } from '../fields.ts'
import { defineEvent } from './define-event.ts'

const entry = {
  transaction_id: Type.String({ description: 'The entry of the ledger, `sct_8`' }),
  customer: PersonBody,
  amount: Type.Number({ description: 'By how much, always positive; the type of the event tells the direction' }),
  currency: Type.String({ description: 'ISO 4217' }),
  previous_balance: Type.Number({ description: 'Before the change' }),
  new_balance: Type.Number({ description: 'After it' }),
  reason: Type.String({ description: 'Why, in words' }),
  order_id: OrNull(Type.String({ description: 'The order that it came from or was spent on' }))
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
  'store_credit.deducted': defineEvent('Store credit was taken', entry, null, {
    ...shown,
    new_balance: 20,
    reason: 'Corrected: the parcel came in time'
  })
} as const
