import type { GraphQLSchema } from 'graphql'
import type { Resolvers } from '../wire/api.ts'
import { withAnswerFaults } from '../wire/lose-answers.ts'
import { makeSchema } from '../wire/schema.ts'
import { billingResolvers } from './billing.ts'
import { bulkResolvers } from './bulk.ts'
import { collectionResolvers } from './catalogue/collections.ts'
import { productResolvers } from './catalogue/products.ts'
import { publicationResolvers } from './catalogue/publications.ts'
import { contractResolvers } from './contracts.ts'
import { customerResolvers } from './customers/customers.ts'
import { cycleEditResolvers } from './cycle-edits.ts'
import { discountResolvers } from './discounts/resolvers.ts'
import { draftResolvers } from './drafts.ts'
import { giftCardResolvers } from './gift-cards.ts'
import { jobResolvers } from './jobs.ts'
import { metafieldDefinitionResolvers } from './metafields/definitions.ts'
import { metafieldResolvers } from './metafields/metafields.ts'
import { nodeResolvers } from './nodes.ts'
import { orderResolvers } from './orders.ts'
import { segmentFilterResolvers } from './segments/segment-filters.ts'
import { segmentMemberResolvers } from './segments/segment-members.ts'
import { segmentResolvers } from './segments/segments.ts'
import { sellingPlanResolvers } from './selling-plans.ts'
import { shopResolvers } from './shop.ts'
import { stagedUploadResolvers } from './staged-uploads.ts'
import { storeCreditResolvers } from './store-credit.ts'
import { tagResolvers } from './tags.ts'
import { webhookResolvers } from './webhooks.ts'

const PARTS: Resolvers[] = [
  shopResolvers,
  customerResolvers,
  productResolvers,
  collectionResolvers,
  sellingPlanResolvers,
  contractResolvers,
  draftResolvers,
  billingResolvers,
  cycleEditResolvers,
  orderResolvers,
  webhookResolvers,
  metafieldResolvers,
  metafieldDefinitionResolvers,
  publicationResolvers,
  jobResolvers,
  tagResolvers,
  storeCreditResolvers,
  giftCardResolvers,
  discountResolvers,
  segmentResolvers,
  segmentMemberResolvers,
  segmentFilterResolvers,
  bulkResolvers,
  stagedUploadResolvers,
  nodeResolvers
]

let schema: GraphQLSchema | undefined

/** The Admin API: the published schema with the sandbox's resolvers, the same for every sandbox of a process. */
export const adminSchema = (): GraphQLSchema => (schema ??= resolvedSchema())

function resolvedSchema(): GraphQLSchema {
  const all: Resolvers = {}
  for (const part of PARTS) {
    for (const [type, fields] of Object.entries(part)) all[type] = { ...all[type], ...fields }
  }
  for (const [name, resolve] of Object.entries(all.Mutation!)) all.Mutation![name] = withAnswerFaults(name, resolve)
  return makeSchema(all)
}
