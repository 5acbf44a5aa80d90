import type { Static } from 'typebox'
import type { Vault } from '#kit/secrets'
import type { WebhookEndpointWithSecretBody } from '#resources'
import type { Endpoint } from '#webhooks'
import type { Keeping } from '../../shared/idempotency.ts'
import { envelope } from '../envelope.ts'
import { presentWebhookEndpoint } from '../present-webhook-endpoint.ts'

/** The response that shows a new secret. */
export const withSecret = ({ secret, ...endpoint }: Endpoint & { secret: string }) =>
  envelope<Static<typeof WebhookEndpointWithSecretBody>>({ ...presentWebhookEndpoint(endpoint), secret })

/** A repetition of the request shows the secret again, so the response is kept; with the secret as ciphertext, as everywhere. */
export function keepSealed(vault: Vault, storeId: number): Keeping<ReturnType<typeof withSecret>> {
  const purpose = `idempotent_responses.secret:${storeId}`
  return {
    keep: ({ data, meta }) =>
      JSON.stringify({ data: { ...data, secret: vault.seal(purpose, data.secret).toString('base64') }, meta }),
    restore(kept) {
      const { data, meta } = JSON.parse(kept) as ReturnType<typeof withSecret>
      return { data: { ...data, secret: vault.open(purpose, Buffer.from(data.secret, 'base64')) }, meta }
    }
  }
}
