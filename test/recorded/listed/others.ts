import { because } from './because.ts'

/** Metafields, customers, products, webhooks and the other areas: what the sandbox deliberately lacks. */
export const LACKING_OF_OTHERS: Record<string, string> = {
  ...because('pages, blogs, markets and places of a shop: nothing of a subscription belongs to them', [
    'Mutation.articleCreate',
    'Mutation.articleDelete',
    'Mutation.blogCreate',
    'Mutation.blogDelete',
    'Mutation.pageCreate',
    'Mutation.pageDelete',
    'QueryRoot.article',
    'QueryRoot.location',
    'QueryRoot.locations',
    'QueryRoot.market',
    'QueryRoot.markets',
    'QueryRoot.page'
  ]),
  ...because('definitions of the catalogue of the platform: an app makes its own', [
    'Mutation.standardMetafieldDefinitionEnable'
  ]),
  ...because('companies that buy: the service sells to persons', ['... on CompanyLocation']),
  ...because('an app with several processes under one token needs no further tokens', [
    'Mutation.delegateAccessTokenCreate',
    'Mutation.delegateAccessTokenDestroy'
  ]),
  ...because('an order is paid when it is made: there is nothing to create by hand, capture or void', [
    'Mutation.orderCancel',
    'Mutation.orderCapture',
    'Mutation.orderCreate',
    'Mutation.transactionVoid'
  ])
}

/** Metafields, customers, products, webhooks and the other areas: what is meant to differ. */
export const ACCEPTED_OF_OTHERS: Record<string, string> = {
  ...because('the recording shows one call in two places', [
    'webhooks/webhook-subscription-metafields-lifecycle.json/cleanup/response',
    'webhooks/webhook-subscription-metafields-lifecycle.json/omittedCleanup/response'
  ]),
  ...because('it deletes what an earlier run of the recorder had left', [
    'webhooks/webhook-subscription-uri-validation.json/preCaptureCleanup/0'
  ]),
  ...because('the list of all values is that of the API version, in its order', [
    'webhooks/webhook-subscription-topic-enum-validation.json/validation/createBogusVariableTopicRejected/response/payload: errors[0].extensions.problems[0].explanation'
  ]),
  ...because('the published schema lists fields by name, and has more of them by now', [
    'customers/customer-input-inline-consent-parity.json/schemaEvidence'
  ]),
  ...because('the recorded store had customers of its own', [
    'customers/customer-create-name-identity.json/scenarios/firstNameOnly/downstreamRead/response: data.customers',
    'customers/customer-create-name-identity.json/scenarios/lastNameOnly/downstreamRead/response: data.customers',
    'customers/customer-create-parity.json/downstreamRead: data.customersCount.count',
    'customers/customer-merge-parity.json/downstreamRead/response: data.customersCount.count',
    'customers/customer-update-parity.json/downstreamRead: data.customersCount.count',
    'customers/customers-catalog.json: data.customers.pageInfo.hasNextPage'
  ]),
  ...because('its search does not find at once what is new; that of the sandbox does', [
    'customers/customer-input-inline-consent-parity.json/mutation/downstreamRead/response: data.customers.nodes',
    'customers/customer-input-inline-consent-parity.json/validation/downstreamAfterRejectedUpdates/response: data.customers.nodes'
  ]),
  ...because('what was asked for was not recorded', [
    'customers/customers-relevance-search.json',
    'customers/customers-search.json'
  ]),
  ...because('a merge is done at once', [
    'customers/customer-merge-parity.json/status/response: data.customerMergeJobStatus.status'
  ]),
  ...because('a definition or value of something that the sandbox lacks', [
    'metafields/metafield-definition-access-validation.json/reservedBeforeSetup',
    'metafields/owner-metafield-mixed-owner-hydration.json/cleanup/0/',
    'metafields/owner-metafield-mixed-owner-hydration.json/delete/',
    'metafields/owner-metafield-mixed-owner-hydration.json/marketAdvanceSet/',
    'metafields/owner-metafield-mixed-owner-hydration.json/setup/baselineSet/',
    'metafields/owner-metafield-mixed-owner-hydration.json/staleSet/',
    'metafields/owner-metafield-mixed-owner-hydration.json/validSet/',
    'metafields/standard-metafield-definition-enable-error-branches.json/cleanup/0/',
    'payments/order-payment-transaction-void-live.json/voidFlow/readAfterVoid/'
  ]),
  ...because('products and definitions that the recorded store was filled with', [
    'metafields/metafield-definitions-product-read.json',
    'products/collection-create-initial-products-parity.json/downstreamRead: data.first.collections.nodes',
    'products/collection-detail.json: data.smartCollection',
    'products/collection-detail.json: data.customCollection.legacyResourceId'
  ]),
  ...because('its document was replaced by one of another mutation later', [
    'products/product-publish-parity.json/aggregateSelection'
  ]),
  ...because('its products are in catalogues of markets too, which the sandbox lacks', [
    'products/product-publish-unpublish.json/publish/mutation/response/payload: data.productPublish.product.',
    'products/product-publish-unpublish.json/publish/downstreamRead/response/payload: data.product.',
    'products/product-publish-unpublish.json/unpublish/mutation/response/payload: data.productUnpublish.product.',
    'products/product-publish-unpublish.json/unpublish/downstreamRead/response/payload: data.product.'
  ])
}
