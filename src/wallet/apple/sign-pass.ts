import { constants, createHash, privateEncrypt } from 'node:crypto'
import { zipSync } from 'fflate'
import forge from 'node-forge'
import type { AppleCredentials } from './check-apple-credentials.ts'

/**
 * A .pkpass: the files, the list of their hashes, and a detached PKCS#7 signature of that list by the certificate of the pass type.
 * node-forge makes the PKCS#7; the signature itself is made by node:crypto, since that of node-forge takes half a second, in which
 * nobody else is served. `at` is real time.
 */
export function signPass(
  files: Record<string, Uint8Array>,
  { certificate, key, wwdr }: AppleCredentials,
  at: Temporal.Instant
): Buffer {
  const hashes = Object.entries(files).map(([name, bytes]) => [name, createHash('sha1').update(bytes).digest('hex')])
  const manifest = Buffer.from(JSON.stringify(Object.fromEntries(hashes)))
  const signature = signatureOf(manifest, { certificate, key, wwdr }, at)
  const all = { ...files, 'manifest.json': manifest, signature }
  // PNG is compressed already, and the rest is small.
  return Buffer.from(zipSync(all, { level: 0, mtime: at.epochMilliseconds }))
}

function signatureOf(
  manifest: Buffer,
  { certificate, key, wwdr }: Pick<AppleCredentials, 'certificate' | 'key' | 'wwdr'>,
  at: Temporal.Instant
): Buffer {
  const { oids } = forge.pki
  const p7 = forge.pkcs7.createSignedData()
  p7.content = forge.util.createBuffer(manifest.toString('binary'))
  p7.addCertificate(wwdr)
  p7.addCertificate(certificate)
  p7.addSigner({
    certificate,
    key: nativeKey(key),
    digestAlgorithm: oids.sha256!,
    authenticatedAttributes: [
      { type: oids.contentType!, value: oids.data! },
      { type: oids.messageDigest! },
      // The types say text; the library makes UTCTime of a date.
      { type: oids.signingTime!, value: new Date(at.epochMilliseconds) as unknown as string }
    ]
  })
  p7.sign({ detached: true })
  return Buffer.from(forge.asn1.toDer(p7.toAsn1()).getBytes(), 'binary')
}

/** A key as node-forge uses it: it hands over a digest of the attributes that it has fed with their bytes. */
function nativeKey(pem: string): forge.pki.rsa.PrivateKey {
  const signing = {
    sign: (digest: forge.md.MessageDigest) => signDigest(Buffer.from(digest.digest().getBytes(), 'binary'), pem)
  }
  return signing as unknown as forge.pki.rsa.PrivateKey
}

/** The DigestInfo of SHA-256 (RFC 8017, 9.2), which PKCS#1 v1.5 signs. */
const SHA256_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex')

const signDigest = (digest: Buffer, key: string): string =>
  privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.concat([SHA256_INFO, digest])).toString('binary')
