import { exampleOf } from '#resources'
import { EVENT_SCHEMAS, EVENT_TYPES } from '#webhooks'
import type { JsonSchema } from '../shared/json-schema.ts'
import type { Operation, Parameter } from './document-types.ts'

const header = (name: string, description: string, example: string, required = true): Parameter => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
  example
})

/** The headers of a delivery, with its signatures. */
export const SIGNATURE_HEADERS: Record<string, Parameter> = {
  SvcSignature: header(
    'X-Svc-Signature',
    '`sha256=` and the hex HMAC-SHA256 of the raw body. The key is the whole signing secret as text, including `whsec_`.',
    'sha256=5a1ff5e3a1b1c2e1f0f0e4a2bb4bb1d9d8f1e7fe0ad26f2f6fa6d9ab80a2d1c7'
  ),
  SvcSignatureNext: header(
    'X-Svc-Signature-Next',
    'Only while the secret is being rolled: the same with the new secret; `X-Svc-Signature` then still uses the old secret.',
    'sha256=0d4d5bf1c1d39f2a9ab5e2c7c2b8b4ad2fd7a44a37b7b4dd4be1b1ac7c1d8d1f',
    false
  ),
  SvcSequence: header(
    'X-Svc-Sequence',
    'The number of the event: an integer that rises over all events of the store, and so over those of each customer. The same at every endpoint and in every attempt. Sort by it where order matters. A test delivery has none.',
    '4711',
    false
  ),
  SvcTest: header('X-Svc-Test', '`true` for a test delivery: `data` is a sample and describes nobody.', 'true', false),
  WebhookId: header(
    'webhook-id',
    'The `webhook_id` of the body (Standard Webhooks).',
    'wh_0b57b2ad720443db925f2f75d8eb0e85'
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'When this attempt was sent, in Unix seconds of real time (Standard Webhooks). Reject a delivery that is more than five minutes off.',
    '1797315901'
  ),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. The key is the part of the secret after `whsec_`, decoded from base64 (Standard Webhooks). While the secret is being rolled there are two signatures, separated by a space.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='
  )
}

const GROUPS: Record<string, string> = {
  subscription: 'Subscriptions',
  billing: 'Billing attempts',
  member: 'Members',
  store_credit: 'Store credits'
}

/** What the service sends to receivers: one operation per event type. */
export function webhooksOf(publish: (schema: JsonSchema) => JsonSchema): Record<string, { post: Operation }> {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const schema: JsonSchema = EVENT_SCHEMAS[type]
      const summary = schema.description!.replace(/\.$/, '')
      const operation: Operation = {
        operationId: `on${schema.title!.replace(/Event$/, '')}`,
        summary,
        description: `${summary}. Respond with a 2xx status within 30 seconds.`,
        tags: [GROUPS[type.split('.')[0]!]!],
        security: [],
        parameters: Object.keys(SIGNATURE_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: publish(schema), example: exampleOf(schema) } }
        },
        responses: {
          '2XX': { description: 'The event was received.' },
          '410': { description: 'The endpoint no longer exists: it is disabled and receives nothing more.' },
          default: { description: 'Anything else: the delivery is retried on the schedule.' }
        }
      }
      return [type, { post: operation }]
    })
  )
}
