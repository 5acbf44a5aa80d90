import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { invalidField } from '#kit/refusal'

/** What signs passes for Apple Wallet, as PEM: the certificate of the pass type, its key, and the certificate that issued it. */
export type AppleCredentials = {
  certificate: string
  key: string
  /** Apple's WWDR certificate. */
  wwdr: string
  passTypeId: string
  teamId: string
}

export type GivenAppleCredentials = Pick<AppleCredentials, 'certificate' | 'key' | 'wwdr'> & {
  /** Of an encrypted key. */
  passphrase?: string | undefined
  passTypeId?: string | undefined
  teamId?: string | undefined
}

const NO_PASS_TYPE_CERTIFICATE = 'it is probably not a pass type certificate'

const MIN_RSA_BITS = 2048

/**
 * Checks what an operator has given: the key belongs to the certificate, that is valid at `now` (real time) and issued by the WWDR
 * certificate, and the identifiers are those of the certificate, from which they are read where they are left out. The key is kept
 * without its passphrase.
 */
export function checkAppleCredentials(
  given: GivenAppleCredentials,
  now: Temporal.Instant
): { credentials: AppleCredentials; expiresAt: Temporal.Instant } {
  const certificate = certificateOf('certificate', given.certificate)
  const wwdr = certificateOf('wwdr', given.wwdr)
  const key = keyOf(given)
  if (certificate.publicKey.asymmetricKeyType !== 'rsa' || rsaBits(certificate.publicKey) < MIN_RSA_BITS)
    throw invalidField('certificate', `must have an RSA key of at least ${MIN_RSA_BITS} bits, as Apple issues them`)
  if (!certificate.checkPrivateKey(key)) throw invalidField('key', 'must be the private key of the certificate')
  if (!certificate.checkIssued(wwdr) || !certificate.verify(wwdr.publicKey))
    throw invalidField('wwdr', "must be Apple's certificate that issued the certificate of the pass type")
  const expiresAt = refuseOutOfDate('certificate', certificate, now)
  refuseOutOfDate('wwdr', wwdr, now)
  const subject = certificate.toLegacyObject().subject as unknown as Record<string, string | string[] | undefined>
  return {
    credentials: {
      certificate: certificate.toString(),
      key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
      wwdr: wwdr.toString(),
      passTypeId: identifier('pass_type_id', given.passTypeId, subject.UID, /^pass\.[A-Za-z0-9.-]{1,200}$/),
      teamId: identifier('team_id', given.teamId, subject.OU, /^[A-Z0-9]{10}$/)
    },
    expiresAt
  }
}

function certificateOf(field: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    throw invalidField(field, 'must be a certificate as PEM (-----BEGIN CERTIFICATE-----)')
  }
}

function keyOf({ key, passphrase }: GivenAppleCredentials): KeyObject {
  try {
    return createPrivateKey({ key, format: 'pem', passphrase: passphrase ?? '' })
  } catch {
    throw invalidField('key', 'must be a private key as PEM; one that is encrypted needs its passphrase')
  }
}

const rsaBits = (key: KeyObject) => key.asymmetricKeyDetails?.modulusLength ?? 0

function refuseOutOfDate(field: string, { validFromDate, validToDate }: X509Certificate, now: Temporal.Instant) {
  const [from, to] = [validFromDate, validToDate].map((date) => date.toTemporalInstant()) as [
    Temporal.Instant,
    Temporal.Instant
  ]
  if (Temporal.Instant.compare(now, to) >= 0)
    throw invalidField(field, `must be valid: it has expired at ${to.toString()}`)
  if (Temporal.Instant.compare(now, from) < 0)
    throw invalidField(field, `must be valid: it is valid from ${from.toString()} on`)
  return to
}

/** The given identifier, which must be the certificate's where that has one. */
function identifier(field: string, given: string | undefined, own: string | string[] | undefined, form: RegExp) {
  const inCertificate = Array.isArray(own) ? own[0] : own
  const found = given ?? inCertificate
  if (found === undefined)
    throw invalidField(
      field,
      `is missing: the certificate does not say it${field === 'pass_type_id' ? `; ${NO_PASS_TYPE_CERTIFICATE}` : ''}`
    )
  if (inCertificate !== undefined && inCertificate !== found)
    throw invalidField(field, `must be that of the certificate, which is ${inCertificate.slice(0, 200)}`)
  if (!form.test(found))
    throw invalidField(
      field,
      field === 'team_id'
        ? 'must be ten capital letters and digits'
        : `must begin with pass. and name a pass type${inCertificate === undefined ? '' : `, and that of the certificate is ${inCertificate.slice(0, 200)}: ${NO_PASS_TYPE_CERTIFICATE}`}`
    )
  return found
}
