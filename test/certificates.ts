import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

const tagged = (tag: number, ...contents: Buffer[]): Buffer => {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...contents: Buffer[]) => tagged(0x30, ...contents)
const oid = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'))
const utcTime = (at: Date) => tagged(0x17, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(2, 14)}Z`))
const commonName = (name: string) => sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(name)))))
const extension = (id: string, value: Buffer) => sequence(oid(id), tagged(0x04, value))
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const DAY_MS = 86_400_000

type Issuer = { name: string; key: KeyObject }
export type Certificate = { key: string; cert: string; issuer: Issuer }

/**
 * A new key and its X.509 certificate for these host names and addresses, valid from two days ago until `days` from now.
 * Self-signed unless an `issuer` is given.
 */
export function aCertificate({
  hosts = [],
  days = 1,
  issuer
}: {
  hosts?: string[]
  days?: number
  issuer?: Certificate
}): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const name = `Perennial test ${randomBytes(4).toString('hex')}`
  const signer = issuer?.issuer ?? { name, key: privateKey }
  const names = hosts.map((host) =>
    isIP(host) === 4 ? tagged(0x87, Buffer.from(host.split('.').map(Number))) : tagged(0x82, Buffer.from(host))
  )
  const extensions = [
    hosts.length > 0
      ? extension('551d11', sequence(...names))
      : extension('551d13', sequence(tagged(0x01, Buffer.from([0xff]))))
  ]
  const toSign = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    commonName(signer.name),
    sequence(utcTime(new Date(Date.now() - 2 * DAY_MS)), utcTime(new Date(Date.now() + days * DAY_MS))),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions))
  )
  const der = sequence(toSign, ECDSA_WITH_SHA256, tagged(0x03, Buffer.from([0]), sign('sha256', toSign, signer.key)))
  const lines = der.toString('base64').match(/.{1,64}/g)!
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, cert, issuer: { name, key: privateKey } }
}
