import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { API_OPERATION, type CreditChange, changeCredits } from '#credits'
import type { Ctx, Database } from '#kit/postgres'
import type { KnownCustomer } from '#members'
import type { PlatformProfileName } from '#stores'
import { notBlank } from '../../shared/not-blank.ts'
import { batchedWrites } from '../batched-writes.ts'
import { envelope } from '../envelope.ts'
import { presentCredit } from '../present-credit.ts'
import { creditCustomers, noSuchCustomer } from './credit-customer.ts'

/** Above it the decimals of some currencies would get lost in a JSON number. */
const MAX_AMOUNT = 1_000_000_000

export const Amount = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_AMOUNT,
  description: `a number above 0 and at most ${MAX_AMOUNT}, with no more decimals than the store's currency has`,
  examples: [5]
})

export const Reason = (example: string) =>
  notBlank(500, { meaning: 'The reason, for the history and the event', examples: [example] })

/** A change of the store credit of a customer who is named as the path names them. */
type NamedChange = {
  customer: string
  profile: PlatformProfileName
  currency: string
  change: Omit<CreditChange, 'memberId'>
}

export type ChangeCredit = ReturnType<typeof createChangeCredit>

/** Requests are distinguished by their Idempotency-Key; without one each is a change of its own. */
export const operationOfRequest = ({ id }: Pick<FastifyRequest, 'id'>) => `${API_OPERATION}${id}`

/** What both routes answer with: additions and deductions of a store that arrive together share a transaction. */
export const createChangeCredit = (db: Database) => batchedWrites(db, { read: creditCustomers, work: changeInOrder })

async function changeInOrder(ctx: Ctx, changes: NamedChange[], customers: (KnownCustomer | null)[]) {
  const known = changes.flatMap(({ change }, i) => (customers[i] ? [{ ...change, memberId: customers[i].id }] : []))
  const outcomes = (
    await changeCredits(
      ctx,
      known,
      customers.filter((found) => found !== null)
    )
  ).values()
  return changes.map(({ customer, currency }, i) => {
    if (!customers[i]) return noSuchCustomer(customer)
    const { refusal, credit } = outcomes.next().value!
    return refusal ?? envelope(presentCredit(credit!, currency))
  })
}
