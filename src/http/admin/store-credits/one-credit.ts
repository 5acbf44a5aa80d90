import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { CreditEntry } from '#credits'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { findCustomerId, parseCustomerId } from '#members'
import { StoreParams, storeOf } from '../store.ts'
import { type CreditAccountBody, readCredit } from './present-credit.ts'

/** Names a customer of a store whose credit is read or changed. */
export const CreditParams = Type.Object({
  ...StoreParams.properties,
  customer: Type.String({
    description: "a customer id, the platform's number or its global id",
    examples: ['cust_24']
  })
})

type CreditRequest = FastifyRequest & { params: Static<typeof CreditParams> }

/** Answers with the account as `act` leaves it; `act` only reads where it is left out. */
export async function creditAfter(
  request: CreditRequest,
  act: (ctx: Ctx, memberId: number) => Promise<CreditEntry | null> = async () => null
): Promise<Static<typeof CreditAccountBody>> {
  const { platformProfile: profile, currency } = storeOf(request)
  const { customer } = request.params
  return request.inStore(async (ctx) => {
    const memberId = await findCustomerId(ctx, parseCustomerId(customer, profile))
    if (memberId === null) {
      throw new Refusal('not_found', `There is no customer ${customer.slice(0, 100)}`, [
        { field: 'customer', code: 'not_found', message: 'names no customer of the store' }
      ])
    }
    await act(ctx, memberId)
    return readCredit(ctx, memberId, currency)
  })
}
