import { readFileSync } from 'node:fs'
import { setDefaultCACertificates } from 'node:tls'

const fixture = (name: string) => readFileSync(new URL(`../test/fixtures/tls/${name}`, import.meta.url), 'utf8')

/** A key and its self-signed certificate for 127.0.0.1, ::1 and localhost, valid only for servers on this machine. */
export const loopbackTls = { key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') }

/** Makes this process trust only that certificate. */
export function trustLoopbackOnly(): void {
  setDefaultCACertificates([loopbackTls.cert])
}
