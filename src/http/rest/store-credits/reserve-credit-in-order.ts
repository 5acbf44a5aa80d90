import { type ReservationRequest, reserveCredit } from '#credits'
import type { Ctx, Database } from '#kit/postgres'
import type { KnownCustomer } from '#members'
import type { PlatformProfileName } from '#stores'
import { batchedWrites } from '../batched-writes.ts'
import { envelope } from '../envelope.ts'
import { presentReservation } from '../present-credit.ts'
import { creditCustomers, noSuchCustomer } from './credit-customer.ts'

/** A reservation for a customer who is named as the path names them, for a number of minutes. */
type NamedReservation = {
  customer: string
  profile: PlatformProfileName
  currency: string
  minutes: number
  wanted: Pick<ReservationRequest, 'amountMinor' | 'reason' | 'operationId'>
}

export type ReserveCredit = ReturnType<typeof createReserveCredit>

/** What the route answers with: reservations of a store that arrive together share a transaction. */
export const createReserveCredit = (db: Database) => batchedWrites(db, { read: creditCustomers, work: reserveInOrder })

async function reserveInOrder(ctx: Ctx, reservations: NamedReservation[], customers: (KnownCustomer | null)[]) {
  const known = reservations.flatMap(({ wanted, minutes }, i) =>
    customers[i] ? [{ ...wanted, memberId: customers[i].id, expiresAt: ctx.now.add({ minutes }) }] : []
  )
  const outcomes = (await reserveCredit(ctx, known)).values()
  return reservations.map(({ customer, currency }, i) => {
    if (!customers[i]) return noSuchCustomer(customer)
    const { refusal, reservation } = outcomes.next().value!
    return refusal ?? envelope(presentReservation(reservation, currency))
  })
}
