import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { numericIdOf } from '#platform'
import { type Actor, findSubscriptionByContract } from '#subscriptions'
import { customerOf } from '../shoppers.ts'

/** Names a contract in a path: by the platform's number or by its global id. */
export const ContractParams = Type.Object({
  contract_id: Type.String({
    description: 'a contract id',
    meaning: "The platform's number of a contract of the customer, or its global id",
    examples: ['9264106591']
  })
})

/** The subscription of the contract in the path, and who acts on it: the key, or else the customer, whose own it must be. */
export async function ownSubscription(
  ctx: Ctx,
  request: FastifyRequest & { params: Static<typeof ContractParams> }
): Promise<{ id: number; by: Actor }> {
  const find = (contractId: string) => findSubscriptionByContract(ctx, contractId)
  const { id, memberId } = await ownContract(request, request.params.contract_id, find)
  if (request.caller) return { id, by: { actor: 'api', actorId: publicId('key', request.caller.keyId) } }
  return { id, by: { actor: 'customer', actorId: publicId('cust', memberId) } }
}

/** What `find` has of a contract by the platform's number; without a key it must be the customer's own. */
export async function ownContract<Found extends { customerPlatformId: string }>(
  request: FastifyRequest,
  given: string,
  find: (contractId: string) => Promise<Found | null>
): Promise<Found> {
  const contractId = contractNumber(given)
  const found = contractId === null ? null : await find(contractId)
  if (!found) throw new Refusal('not_found', `There is no contract ${given.slice(0, 100)}`)
  if (!request.caller && found.customerPlatformId !== customerOf(request).customerId) {
    throw new Refusal('forbidden', 'This contract belongs to another customer')
  }
  return found
}

/** The number of a contract, from itself or from its global id. */
function contractNumber(text: string): string | null {
  return /^[0-9]{1,20}$/.test(text) ? text : numericIdOf(text)
}
