import { createPrivateKey, createPublicKey } from 'node:crypto'
import { parseJson } from '#kit/json-fields'
import { invalidField } from '#kit/refusal'

/** What signs links for Google Wallet. */
export type GoogleCredentials = { issuerId: string; email: string; key: string }

const MIN_RSA_BITS = 2048

/** Checks the file of a service account as Google gives it out, and the issuer. */
export function checkGoogleCredentials(given: { issuerId: string; serviceAccount: string }): GoogleCredentials {
  if (!/^[0-9]{1,30}$/.test(given.issuerId)) throw invalidField('issuer_id', 'must be the number of the issuer')
  const account = parseJson(given.serviceAccount) as Record<string, unknown> | null | undefined
  const field = 'service_account'
  if (typeof account !== 'object' || account === null || account.type !== 'service_account')
    throw invalidField(field, 'must be the JSON file of the key of a service account, as Google Cloud gives it')
  const { client_email: email, private_key: pem } = account
  if (typeof email !== 'string' || email.length > 320 || !/^[^\s@]+@[^\s@]+$/.test(email))
    throw invalidField(field, 'must have a client_email')
  if (typeof pem !== 'string') throw invalidField(field, 'must have a private_key')
  const key = readKey(field, pem)
  return { issuerId: given.issuerId, email, key }
}

function readKey(field: string, pem: string): string {
  let key: ReturnType<typeof createPrivateKey>
  try {
    key = createPrivateKey(pem)
  } catch {
    throw invalidField(field, 'must have a private_key as PEM')
  }
  if (key.asymmetricKeyType !== 'rsa' || (createPublicKey(key).asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS)
    throw invalidField(field, `must have an RSA key of at least ${MIN_RSA_BITS} bits`)
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}
