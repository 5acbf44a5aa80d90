import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { invalidBody } from '#kit/refusal'
import { findTagOwner, type TagOwner } from '#mirror'
import { text } from '../fields.ts'
import { requestStoreOf } from '../store.ts'

/** Names one customer or one order. */
export const OneOwner = {
  customer: Type.Optional(
    text(200, "a customer id such as cust_24, the platform's number or its global id", {
      meaning: 'Only this customer',
      examples: ['cust_24']
    })
  ),
  order: Type.Optional(
    text(200, "the platform's number of an order, its global id, or our id such as ord_7", {
      meaning: 'Only this order',
      examples: ['5678901234']
    })
  )
}

/** The owner that a request names; null where it names none. */
export async function tagOwnerOf(
  request: FastifyRequest,
  { customer, order }: { customer?: string | undefined; order?: string | undefined }
): Promise<TagOwner | null> {
  if (customer !== undefined && order !== undefined) throw invalidBody('Give customer or order, not both')
  const { profile } = requestStoreOf(request)
  if (customer !== undefined) return request.inStore((ctx) => findTagOwner(ctx, 'customer', customer, profile))
  return order === undefined ? null : request.inStore((ctx) => findTagOwner(ctx, 'order', order, profile))
}
