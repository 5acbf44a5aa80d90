import { readFileSync } from 'node:fs'
import { setDefaultCACertificates } from 'node:tls'

const fixture = (name: string) => readFileSync(new URL(`../test/fixtures/tls/${name}`, import.meta.url), 'utf8')

/** A key and its self-signed certificate for 127.0.0.1, ::1 and localhost, good for nothing but servers on this machine. */
export const loopbackTls = { key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') }

/** From now on this process takes that certificate, and no other, for a good one. */
export function trustLoopbackOnly(): void {
  setDefaultCACertificates([loopbackTls.cert])
}
