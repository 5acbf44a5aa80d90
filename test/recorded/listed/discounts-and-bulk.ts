import { because } from './because.ts'

/** Discounts, gift cards, segments, bulk operations: what the sandbox deliberately lacks. */
export const LACKING_OF_DISCOUNTS: Record<string, string> = {
  ...because('the timeline of an object is for the people of a shop', ['DiscountAutomaticNode.events']),
  ...because('no product of ours has pictures', ['Product.media']),
  ...because('orders that people write by hand are no purchases of a member until they are orders', [
    'QueryRoot.draftOrders'
  ]),
  ...because('nothing of ours is kept in metaobjects', [
    'Mutation.metaobjectDefinitionCreate',
    'Mutation.metaobjectDefinitionDelete'
  ])
}

const B = 'bulk-operations/bulk-operation-'

/** Discounts, gift cards, segments, bulk operations: what is meant to differ. */
export const ACCEPTED_OF_DISCOUNTS: Record<string, string> = {
  ...because('the recorded store had more than a thousand products to read', [
    ...['progressPolls/19/response', 'preCancelObservation/response', 'readAfterCancel/response'].flatMap((call) => [
      `${B}cancel-preserves-fields.json/lifecycle/${call}: data.bulkOperation.objectCount`,
      `${B}cancel-preserves-fields.json/lifecycle/${call}: data.bulkOperation.rootObjectCount`
    ]),
    `${B}cancel-preserves-fields.json/lifecycle/cancelAttempt/response: data.bulkOperationCancel.bulkOperation.objectCount`,
    `${B}cancel-preserves-fields.json/lifecycle/cancelAttempt/response: data.bulkOperationCancel.bulkOperation.rootObjectCount`,
    ...[0, 1, 2, 3, 4].flatMap((i) => [
      `${B}run-query-concurrency-limit.json/cancelAttempts/${i}/response: data.bulkOperationCancel.bulkOperation.objectCount`,
      `${B}run-query-concurrency-limit.json/cancelAttempts/${i}/response: data.bulkOperationCancel.bulkOperation.rootObjectCount`
    ])
  ]),
  ...because('ids in the file have other lengths, or its lines were not recorded', [
    `${B}run-mutation-allowed-roots.json/cases/customerCreate/success/statusPolls/0/response: data.bulkOperation.fileSize`,
    `${B}run-mutation-allowed-roots.json/cases/metaobjectDefinitionCreate/success/statusPolls/0/response: data.bulkOperation.fileSize`,
    `${B}run-mutation-allowed-roots.json/cases/metafieldsSet/success/statusPolls/0/response: data.bulkOperation.fileSize`,
    `${B}run-mutation-created-status.json/success/statusPolls/1/response: data.bulkOperation.fileSize`
  ]),
  ...because('the search of the recorded store did not know the new discount yet', [
    'discount-code-basic-lifecycle.json/readAfterUpdate/payload: data.discountNodes.nodes',
    'discount-code-basic-lifecycle.json/readAfterActivate/payload: data.discountNodes.nodes'
  ]),
  ...because('another discount of the recorded store had ended', [
    'discounts/discount-app-bulk-live-parity.json/downstreamRead/payload: data.expired.count'
  ]),
  ...because('the recorder wrote one id for all jobs', [
    'discounts/discount-app-bulk-live-parity.json/bulkJobs/payload: data.deactivate.job.id',
    'discounts/discount-app-bulk-live-parity.json/bulkJobs/payload: data.deleteCode.job.id'
  ]),
  ...because('the recorded store sold no subscriptions then, so that its summaries do not tell them apart', [
    'discounts/discount-automatic-basic-detail-read.json/create: data.discountAutomaticBasicCreate.automaticDiscountNode.automaticDiscount.summary',
    'discounts/discount-automatic-basic-detail-read.json/response: data.discountNode.discount.summary',
    'discounts/discount-automatic-basic-detail-read.json/response: data.automaticDiscountNode.automaticDiscount.summary',
    'discounts/discount-catalog-non-empty-read.json/response: data.discountNodes.nodes[0].discount.summary',
    'discounts/discount-catalog-non-empty-read.json/response: data.discountNodes.edges[0].node.discount.summary'
  ]),
  ...because('the file has its calls in another order than they were made', [
    'segments/segment-mutation-first-hydration.json/updateReadAfter/response/body: data.count.count'
  ]),
  ...because('the recording shows one call in two places', [
    'segments/segment-mutation-first-hydration.json/cleanup/deletedByScenario/response/body'
  ])
}
