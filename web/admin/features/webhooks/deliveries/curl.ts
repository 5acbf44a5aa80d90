import type { DeliveryDetail } from '../queries.ts'

/** Where a listener is likely to be, which has no address here. */
const LOCAL = 'http://localhost:4000/hooks'

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A shell command that posts a delivery as the service does, signed with a secret that only whoever runs it has. */
export function curl({ webhook_id: id, body, sequence, test }: DeliveryDetail, url: string): string {
  return `SIGNING_SECRET='whsec_…'
BODY=${quoted(body)}
NOW=$(date +%s)
KEY=$(printf %s "\${SIGNING_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
curl -i -X POST ${quoted(url || LOCAL)} \\
  -H 'Content-Type: application/json' \\
  -H 'User-Agent: Perennial-Webhooks/1' \\
  -H "X-Svc-Signature: sha256=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //')" \\
  -H 'webhook-id: ${id}' \\
  -H "webhook-timestamp: $NOW" \\
  -H "webhook-signature: v1,$(printf %s "${id}.$NOW.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)" \\
${sequence === null ? '' : `  -H 'X-Svc-Sequence: ${sequence}' \\\n`}${test ? "  -H 'X-Svc-Test: true' \\\n" : ''}  --data-binary "$BODY"`
}
