import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { unzipSync } from 'fflate'
import { aCertificate } from './certificates.ts'

export const PASS_TYPE = 'pass.com.example.members'
export const TEAM = 'ABCDE12345'

/** A certificate authority in the place of Apple's, and a certificate of a pass type that it has issued; made by openssl. */
export function appleCertificates({ days = 300, subject = `/UID=${PASS_TYPE}/CN=Pass/OU=${TEAM}/O=Example` } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'perennial-wallet-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const newKey = ['-newkey', 'rsa:2048', '-nodes']
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '900', '-subj', '/CN=Test WWDR')
  openssl('req', ...newKey, '-keyout', 'pass.key', '-out', 'pass.csr', '-subj', subject)
  const issue = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', String(days)]
  openssl('x509', '-req', '-in', 'pass.csr', ...issue, '-out', 'pass.pem')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return {
    wwdr: read('ca.pem'),
    certificate: read('pass.pem'),
    key: read('pass.key'),
    /** Throws unless the signature is one of these bytes by a certificate of the authority. */
    verify(signature: Uint8Array, bytes: Uint8Array) {
      writeFileSync(join(folder, 'signature'), signature)
      writeFileSync(join(folder, 'signed'), bytes)
      const files = ['-in', 'signature', '-content', 'signed', '-CAfile', 'ca.pem', '-out', 'verified']
      openssl('smime', '-verify', '-inform', 'DER', '-binary', '-purpose', 'any', ...files)
    }
  }
}

/** The files of a .pkpass. */
export function openPass(bytes: Uint8Array) {
  const files = unzipSync(bytes)
  const json = (name: string) => JSON.parse(Buffer.from(files[name]!).toString())
  return { files, pass: json('pass.json'), manifest: json('manifest.json') as Record<string, string> }
}

/** A service account of Google with its key. */
export function googleAccount({ email = 'wallet@example.iam.gserviceaccount.com', bits = 2048 } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return { publicKey, email, file: JSON.stringify({ type: 'service_account', client_email: email, private_key }) }
}

/** A server in the place of Apple's push service: HTTP/2 with certificates of clients, which `wwdr` has issued. */
export async function aPushServer(wwdr: string) {
  const authority = aCertificate({})
  const { cert, key } = aCertificate({ hosts: ['localhost'], issuer: authority })
  const pushed: { token: string; topic: string; authorized: boolean; body: string }[] = []
  const answers = new Map<string, { status: number; reason?: string }>()
  const server: Http2SecureServer = createSecureServer({
    cert,
    key,
    ca: wwdr,
    requestCert: true,
    rejectUnauthorized: false
  })
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    let body = ''
    stream.on('data', (chunk) => {
      body += chunk
    })
    stream.on('end', () => {
      const token = headers[':path']!.split('/').at(-1)!
      const { authorized } = stream.session!.socket as TLSSocket
      pushed.push({ token, topic: String(headers['apns-topic']), authorized, body })
      const { status, reason } = answers.get(token) ?? { status: 200 }
      stream.respond({ ':status': status })
      stream.end(reason ? JSON.stringify({ reason }) : undefined)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `https://localhost:${port}`, ca: authority.cert, pushed, answers }
}

/** A server in the place of Google's token endpoint and API: it keeps passes, and deletes none. */
export async function aGoogleServer() {
  const asked: { method: string; path: string; authorization?: string | undefined; body: string }[] = []
  const state = { status: 200 }
  const objects = new Map<string, any>()
  const classes = new Set<string>()
  const change = (method: string, path: string, body: any): number => {
    const [kind, id = body.id] = path.replace('/walletobjects/v1/', '').split('/')
    if (kind === 'genericClass') {
      const isNew = !classes.has(id)
      classes.add(id)
      return isNew ? 200 : 409
    }
    if (method === 'PUT' && !objects.has(id)) return 404
    if (method === 'POST' && objects.has(id)) return 409
    if (!classes.has(body.classId)) return 404
    objects.set(id, body)
    return 200
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { authorization } = request.headers
      asked.push({ method: request.method!, path: request.url!, authorization, body })
      const isToken = request.url === '/token'
      const status = isToken
        ? 200
        : state.status === 200
          ? change(request.method!, request.url!, JSON.parse(body))
          : state.status
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(isToken ? '{"access_token":"google-token"}' : '{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { urls: { api: url, token: `${url}/token` }, asked, state, objects, classes }
}
