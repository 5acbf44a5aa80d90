import { createPrivateKey, createPublicKey } from 'node:crypto'
import { parseJson } from '#kit/json-fields'
import { invalidField } from '#kit/refusal'

/** What signs links for Google Wallet. */
export type GoogleCredentials = { issuerId: string; email: string; key: string }

/** Google makes keys of 2048 bits and accepts own ones up to 4096; the signature is a part of every link. */
const RSA_BITS = { min: 2048, max: 4096 }

/** Checks the file of a service account as Google gives it out, and the issuer. */
export function checkGoogleCredentials(given: { issuerId: string; serviceAccount: string }): GoogleCredentials {
  if (!/^[0-9]{1,30}$/.test(given.issuerId)) throw invalidField('issuer_id', 'must be the number of the issuer')
  const account = parseJson(given.serviceAccount) as Record<string, unknown> | null | undefined
  const field = 'service_account'
  if (typeof account !== 'object' || account === null || account.type !== 'service_account')
    throw invalidField(field, 'must be the JSON file of the key of a service account, as Google Cloud gives it')
  const { client_email: email, private_key: pem } = account
  if (typeof email !== 'string' || email.length > 320 || !/^[\w.+-]+@[\w.-]+$/.test(email))
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
  const bits = createPublicKey(key).asymmetricKeyDetails?.modulusLength ?? 0
  if (key.asymmetricKeyType !== 'rsa' || bits < RSA_BITS.min || bits > RSA_BITS.max)
    throw invalidField(field, `must have an RSA key of ${RSA_BITS.min} to ${RSA_BITS.max} bits`)
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}
