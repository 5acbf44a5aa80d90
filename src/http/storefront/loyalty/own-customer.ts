import type { FastifyRequest } from 'fastify'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { findKeptCustomerId, parseCustomerId } from '#members'
import { customerOf } from '../shoppers.ts'

/** Refuses the number of another customer than the one who is logged in, before anything is looked up. */
export function refuseOthers(request: FastifyRequest, given: string): void {
  const { store, customerId } = customerOf(request)
  if (parseCustomerId(given, store.profile).platformId === customerId) return
  throw new Refusal('forbidden', 'Log in as this customer')
}

/** The customer who is logged in. Refused where the store does not know them. */
export async function ownCustomer(ctx: Ctx, request: FastifyRequest): Promise<number> {
  const { customerId } = customerOf(request)
  const memberId = await findKeptCustomerId(ctx, { memberId: null, platformId: customerId })
  if (memberId === null) throw new Refusal('not_found', `There is no customer ${customerId}`)
  return memberId
}
