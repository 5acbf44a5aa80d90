import type { Database } from '#kit/postgres'
import type { ProfileName } from './profiles.ts'
import type { WebhookHeaders } from './webhook-headers.ts'

export type WebhookStore = { storeId: number; appSecret: string; profile: ProfileName }

export type Received =
  | { status: 200; outcome: 'stored' | 'repeated' }
  | { status: 400; outcome: 'malformed'; message: string }
  | { status: 401; outcome: 'bad_signature' }

export async function receiveWebhook(
  _db: Database,
  _store: WebhookStore,
  _headers: WebhookHeaders,
  _rawBody: Buffer
): Promise<Received> {
  throw new Error('being written')
}
