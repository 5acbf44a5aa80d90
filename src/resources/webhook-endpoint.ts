import { Type } from 'typebox'
import { OrNull, Timestamp } from './fields.ts'

const EXAMPLE = {
  id: 'we_2',
  url: 'https://example.com/hooks',
  events: ['billing.failed'],
  all_events: false,
  description: 'CRM',
  status: 'enabled',
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  failed_deliveries: 0,
  previous_secret_until: null,
  created_at: '2027-04-10T00:00:00.000Z',
  updated_at: '2027-04-10T00:00:00.000Z'
}

export const WebhookEndpointBody = Type.Object(
  {
    id: Type.String({ description: 'The endpoint id, `we_2`' }),
    url: Type.String({ description: 'Where deliveries are posted' }),
    events: Type.Array(Type.String(), { description: 'The event types that it receives' }),
    all_events: Type.Boolean({ description: 'Whether it receives every type, also types added later' }),
    description: Type.String({ description: 'What lists say about it' }),
    status: Type.String({ description: '`enabled` or `disabled`' }),
    disabled_reason: OrNull(Type.String({ description: 'Why it is disabled' })),
    disabled_at: OrNull(Timestamp('Since when it is disabled')),
    failing_since: OrNull(Timestamp('The first failure after the last success')),
    failed_deliveries: Type.Integer({ description: 'How many deliveries have used up all their tries since then' }),
    previous_secret_until: OrNull(
      Timestamp('Until when the old secret signs too, in real time; null when only one secret signs')
    ),
    created_at: Timestamp('When it was registered'),
    updated_at: Timestamp('When any of these fields last changed')
  },
  { title: 'WebhookEndpoint', description: "An endpoint of a store's webhooks.", examples: [EXAMPLE] }
)

export const WebhookEndpointWithSecretBody = Type.Object(
  { ...WebhookEndpointBody.properties, secret: Type.String({ description: 'Signs its deliveries; shown only here' }) },
  {
    title: 'WebhookEndpointWithSecret',
    description: 'An endpoint with its signing secret, which only the responses that create or roll it show.',
    examples: [{ ...EXAMPLE, secret: 'whsec_0NqrlOzx9v6eh3SM4IzDVGxBEXj9meLy42AR8SDSltY=' }]
  }
)

export const DeletedWebhookEndpointBody = Type.Object(
  {
    id: Type.String({ description: 'The endpoint id' }),
    deleted: Type.Literal(true, { description: 'Always true' })
  },
  { title: 'DeletedWebhookEndpoint', description: 'A deleted endpoint.', examples: [{ id: 'we_2', deleted: true }] }
)
