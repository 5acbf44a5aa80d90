// The files that shops load: what `npm ci` builds, their sizes, and the ways to them through the platform and past it.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { buildStorefront, STOREFRONT_FILES } from '../scripts/build-storefront.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const folder = await mkdtemp(join(tmpdir(), 'perennial-storefront-'))
after(() => rm(folder, { recursive: true, force: true }))
const built = join(folder, 'dist')
await buildStorefront(built)

for (const [name, { maxGzipBytes }] of Object.entries(STOREFRONT_FILES)) {
  test(`${name}.js is at most ${maxGzipBytes} bytes in gzip, and needs no other file in English`, async () => {
    const file = await readFile(join(built, `${name}.js`))
    const { length } = gzipSync(file, { level: 9 })
    assert.ok(length <= maxGzipBytes, `${length} bytes`)
    assert.doesNotMatch(file.toString(), /\bimport\s*[{*"'`]|\bfrom\s*["'`]|\bexport\b/)
  })
}

test('a build replaces the one before as a whole, and leaves nothing beside it', async () => {
  const before = (await readdir(built)).sort()
  await buildStorefront(built)
  assert.deepEqual((await readdir(built)).sort(), before)
  assert.deepEqual(await readdir(folder), ['dist'])
})

test('a theme gets them through the app proxy of its shop, and other pages from the service itself', async () => {
  const store = await service.aStore()
  const path = '/apps/svc-api/v1/storefront'
  for (const name of Object.keys(STOREFRONT_FILES)) {
    for (const base of [`${service.urls.sandbox}/${store.domain}`, service.urls.public]) {
      const response = await fetch(`${base}${path}/${name}.js`)
      const what = `${response.status} ${response.url}`
      assert.ok(response.ok && response.redirected, what)
      assert.match(new URL(response.url).href.slice(base.length), new RegExp(`^${path}/${name}-[0-9a-f]{8}\\.js$`))
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable', what)
      assert.equal(response.headers.get('access-control-allow-origin'), '*', what)
      assert.ok((await response.text()).includes(name), what)
    }
  }
})
