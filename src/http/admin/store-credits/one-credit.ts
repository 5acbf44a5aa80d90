import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { CreditEntry } from '#credits'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { findKeptCustomerId, parseCustomerId } from '#members'
import type { PlatformProfileName } from '#stores'
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
  const { platformProfile, currency } = storeOf(request)
  return request.inStore(async (ctx) => {
    const memberId = await creditCustomer(ctx, request.params.customer, platformProfile)
    await act(ctx, memberId)
    return readCredit(ctx, memberId, currency)
  })
}

/** The member id of a customer whose credit a request names. Refuses one that the store does not have. */
export async function creditCustomer(ctx: Ctx, customer: string, profile: PlatformProfileName): Promise<number> {
  const memberId = await findKeptCustomerId(ctx, parseCustomerId(customer, profile))
  if (memberId !== null) return memberId
  throw new Refusal('not_found', `There is no customer ${customer.slice(0, 100)}`, [
    { field: 'customer', code: 'not_found', message: 'names no customer of the store' }
  ])
}
