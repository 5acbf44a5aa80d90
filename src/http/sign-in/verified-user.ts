import { Refusal } from '#kit/refusal'

/** Of the authenticator data of WebAuthn: behind the hash of the host name are the flags, of which this one says that the device has verified its user. */
const FLAGS_AT = 32
const USER_VERIFIED = 0x04

/**
 * Refuses a passkey whose device has not verified who uses it, by a PIN or biometrics: a key that was found would sign in alone, past the
 * password and the second factor. The library does not ask for it.
 */
export function requireVerifiedUser(body: unknown): void {
  const data = (body as { response?: { response?: { authenticatorData?: unknown } } } | null)?.response?.response
    ?.authenticatorData
  const flags = typeof data === 'string' ? Buffer.from(data, 'base64url')[FLAGS_AT] : undefined
  if (flags === undefined || (flags & USER_VERIFIED) === 0) {
    throw new Refusal(
      'authentication_failed',
      'The device has not verified who uses the passkey: set a PIN or a fingerprint for it'
    )
  }
}

/** What the browser is to ask of the device, in the options that the library gives. */
export const verifying = (options: unknown): unknown => ({ ...(options as object), userVerification: 'required' })
