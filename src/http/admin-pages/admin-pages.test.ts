import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import fastify from 'fastify'
import { registerAdminPages } from './index.ts'

const PAGE =
  '<meta name="style-nonce" content="__STYLE_NONCE__"><script type="module" src="/admin/assets/main-1a.js"></script>'

/** A server of an interface with these files, or of a folder that is not there. */
async function served(files: Record<string, string> | null) {
  const folder = await mkdtemp(join(tmpdir(), 'perennial-interface-'))
  after(() => rm(folder, { recursive: true, force: true }))
  if (files) {
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), PAGE)
  }
  for (const [name, text] of Object.entries(files ?? {})) {
    const path = join(folder, 'assets', name)
    await writeFile(path, text)
    await writeFile(`${path}.gz`, gzipSync(text))
    await writeFile(`${path}.br`, brotliCompressSync(text))
  }
  const logged: string[] = []
  const app = fastify({
    logger: { level: 'warn', stream: { write: (line) => void logged.push(JSON.parse(line).msg) } }
  })
  app.get('/admin/api/status', () => 'the api')
  registerAdminPages(app, {
    builtInterface: folder,
    install: { apps: { platform: { clientId: 'our-app', clientSecret: 'x' }, shopify: null } } as never,
    sandbox: { urlOf: () => '' } as never
  })
  after(() => app.close())
  await app.ready()
  return { logged, get: (url: string, headers = {}) => app.inject({ url, headers }) }
}

const BUILT = { 'main-1a.js': 'let a = 1', 'main-2b.css': 'a{}', 'notes.txt': 'nothing' }

test('every path of the interface is the page, which is not kept and loads nothing of others', async () => {
  const { get, logged } = await served(BUILT)
  for (const path of ['/admin', '/admin/', '/admin/welcome', '/admin/stores/store_1/members', '/admin/a.b/c']) {
    const { statusCode, headers, body } = await get(path)
    assert.deepEqual([path, statusCode, headers['cache-control']], [path, 200, 'no-store'])
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    const nonce = /'nonce-([\w-]{20,})'/.exec(policy)![1]!
    assert.equal(body, PAGE.replace('__STYLE_NONCE__', nonce))
    assert.equal(
      policy,
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data:; ` +
        "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
  }
  assert.deepEqual(logged, [])
})

test('each response has its own nonce', async () => {
  const { get } = await served(BUILT)
  const [first, second] = await Promise.all([get('/admin'), get('/admin')])
  assert.notEqual(first.headers['content-security-policy'], second.headers['content-security-policy'])
})

test('paths of the API and of the sign-in are not the page', async () => {
  const { get } = await served(BUILT)
  assert.equal((await get('/admin/api/status')).body, 'the api')
  for (const path of [
    '/admin/api',
    '/admin/api/unknown',
    '/admin/auth',
    '/admin/auth/sign-in/email',
    '/admin/assets',
    '/admins'
  ]) {
    assert.equal((await get(path)).statusCode, 404, path)
  }
})

test('files are kept for ever, in the smallest encoding that the browser takes', async () => {
  const { get } = await served(BUILT)
  const plain = await get('/admin/assets/main-1a.js')
  assert.deepEqual([plain.statusCode, plain.body, plain.headers['content-encoding']], [200, 'let a = 1', undefined])
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(plain.headers.vary, 'accept-encoding')
  const zipped = await get('/admin/assets/main-1a.js', { 'accept-encoding': 'gzip, br;q=0' })
  assert.equal(zipped.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(zipped.rawPayload).toString(), 'let a = 1')
  const smaller = await get('/admin/assets/main-2b.css', { 'accept-encoding': 'gzip, deflate, br, zstd' })
  assert.deepEqual(
    [smaller.headers['content-encoding'], smaller.headers['content-type']],
    ['br', 'text/css; charset=utf-8']
  )
  assert.equal(brotliDecompressSync(smaller.rawPayload).toString(), 'a{}')
  const again = await get('/admin/assets/main-1a.js', { 'if-none-match': String(plain.headers.etag) })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
})

test('other names are not found, whatever is in the folder', async () => {
  const { get } = await served(BUILT)
  for (const name of ['notes.txt', 'main-1a.js.gz', 'other.js', 'constructor', '..%2Findex.html', 'main-1a.js%00']) {
    assert.equal((await get(`/admin/assets/${name}`)).statusCode, 404, name)
  }
})

test('an installation without it says how to build it', async () => {
  const { get, logged } = await served(null)
  const { statusCode, headers, body } = await get('/admin/stores/store_1')
  assert.deepEqual([statusCode, headers['cache-control']], [503, 'no-store'])
  assert.match(body, /The admin interface is not built here: run "npm ci" without --omit and --ignore-scripts/)
  assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  assert.equal((await get('/admin/assets/main-1a.js')).statusCode, 404)
  assert.equal(logged.length, 1)
})
