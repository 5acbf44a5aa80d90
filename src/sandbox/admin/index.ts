import type { GraphQLSchema } from 'graphql'
import type { Resolvers } from '../wire/api.ts'
import { makeSchema } from '../wire/schema.ts'
import { billingResolvers } from './billing.ts'
import { contractResolvers } from './contracts.ts'
import { customerResolvers } from './customers.ts'
import { draftResolvers } from './drafts.ts'
import { orderResolvers } from './orders.ts'
import { productResolvers } from './products.ts'
import { sellingPlanResolvers } from './selling-plans.ts'
import { shopResolvers } from './shop.ts'
import { webhookResolvers } from './webhooks.ts'

const PARTS: Resolvers[] = [
  shopResolvers,
  customerResolvers,
  productResolvers,
  sellingPlanResolvers,
  contractResolvers,
  draftResolvers,
  billingResolvers,
  orderResolvers,
  webhookResolvers
]

/** The Admin API: the published schema, answered by this platform. */
export function adminSchema(): GraphQLSchema {
  const all: Resolvers = {}
  for (const part of PARTS) {
    for (const [type, fields] of Object.entries(part)) all[type] = { ...all[type], ...fields }
  }
  return makeSchema(all)
}
