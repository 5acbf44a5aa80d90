import { because } from './because.ts'

/** Metafields, customers, products, webhooks and the other areas: what the sandbox deliberately lacks. */
export const LACKING_OF_OTHERS: Record<string, string> = {
  ...because('', [])
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
  ])
}
