import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { registerAssets } from './index.ts'

const PATH = '/apps/svc-api/v1/storefront'

/** A server of the files that are in `built`, or of a folder that is not there. */
async function served(built: Record<string, string> | null) {
  const folder = await mkdtemp(join(tmpdir(), 'perennial-built-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const files = join(folder, 'dist')
  if (built) await mkdir(files)
  for (const [name, text] of Object.entries(built ?? {})) await writeFile(join(files, name), text)
  const logged: string[] = []
  const app = fastify({
    logger: { level: 'warn', stream: { write: (line) => void logged.push(JSON.parse(line).msg) } }
  })
  registerAssets(app, { builtFiles: files })
  after(() => app.close())
  await app.ready()
  return {
    logged,
    get: (name: string, headers = {}) => app.inject({ url: `${PATH}/${name}`, headers }),
    head: (name: string) => app.inject({ method: 'HEAD', url: `${PATH}/${name}` })
  }
}

const BUILT = { 'cancel.js': 'let a = 1', 'cancel.de-0123abcd.js': 'export default {}', 'notes.txt': 'nothing' }

test('a name without a hash redirects for minutes to the one with it, which never changes', async () => {
  const { get, logged } = await served(BUILT)
  const first = await get('cancel.js')
  const hashed = String(first.headers.location)
  assert.deepEqual([first.statusCode, first.headers['cache-control']], [302, 'public, max-age=300'])
  assert.match(hashed, /^cancel-[0-9a-f]{8}\.js$/)
  const file = await get(hashed)
  assert.deepEqual([file.statusCode, file.body], [200, 'let a = 1'])
  assert.equal(file.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(file.headers['access-control-allow-origin'], '*')
  assert.equal(file.headers['cross-origin-resource-policy'], 'cross-origin')
  assert.deepEqual(logged, [])

  const other = await (await served({ 'cancel.js': 'let a = 2' })).get('cancel.js')
  assert.notEqual(other.headers.location, hashed)
})

test('what the build has named by its content keeps that name, and an older one leads to it', async () => {
  const { get } = await served(BUILT)
  assert.equal((await get('cancel.de-0123abcd.js')).body, 'export default {}')
  for (const [older, now] of [
    ['cancel.de-ffffffff.js', /^cancel\.de-0123abcd\.js$/],
    ['cancel-00000000.js', /^cancel-[0-9a-f]{8}\.js$/]
  ] as const) {
    const { statusCode, headers } = await get(older)
    assert.equal(statusCode, 302)
    assert.match(String(headers.location), now)
  }
})

test('it is sent in gzip to whoever takes that, and not again to whoever has it', async () => {
  const { get, head } = await served(BUILT)
  const name = String((await get('cancel.js')).headers.location)
  const zipped = await get(name, { 'accept-encoding': 'br;q=1, gzip;q=0.8' })
  assert.deepEqual([zipped.headers['content-encoding'], zipped.headers.vary], ['gzip', 'accept-encoding'])
  assert.equal(gunzipSync(zipped.rawPayload).toString(), 'let a = 1')
  assert.equal((await get(name, { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding'], undefined)
  const again = await get(name, { 'if-none-match': `W/"x", ${zipped.headers.etag}` })
  assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', zipped.headers.etag])
  assert.equal((await head(name)).statusCode, 200)
})

test('other names are not found, whatever is in the folder', async () => {
  const { get } = await served(BUILT)
  for (const name of ['notes.txt', 'other.js', 'cancel', 'constructor', '..%2Fpackage.json', 'cancel.js%00']) {
    assert.equal((await get(name)).statusCode, 404, name)
  }
})

test('without files it says so once, and to whoever asks for one', async () => {
  for (const built of [null, {}]) {
    const { get, logged } = await served(built)
    const { statusCode, body } = await get('cancel.js')
    assert.equal(statusCode, 503)
    assert.match(JSON.parse(body).message, /^The files for storefronts are not built here: run "npm ci"/)
    assert.equal(logged.length, 1)
  }
})
