// The client as integrators install it: packed, unpacked into a separate project, run and type-checked there.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const PROGRAM = `
import { createClient, ConnectionError, NotFoundError, type Member, type WebhookEvent } from '@perennial/sdk'
import { webhooks } from '@perennial/sdk/webhooks'

const client = createClient({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k', maxRetries: 0 })
const asked: Promise<string> = client.members.get('mem_1').then(
  (member: Member) => member.customer.email ?? '',
  (err: unknown) => (err instanceof NotFoundError ? err.requestId ?? '' : err instanceof ConnectionError ? err.name : '')
)
console.log(await asked)

const body = '{"event":"member.created","webhook_id":"wh_1"}'
const event: WebhookEvent = await webhooks.verify(body, await webhooks.testHeaders(body, 'whsec_c2VjcmV0'), 'whsec_c2VjcmV0')
if (event.event === 'billing.failed') event.data.attempts_remaining satisfies number
console.log(event.event)

// @ts-expect-error A filter accepts only the contract's values.
client.members.list({ status: 'gone' })
// @ts-expect-error The reason is required.
void (() => client.storeCredits.add('cust_1', { amount: 1 }))
// @ts-expect-error Objects have only the contract's fields.
void (async () => (await client.members.get('mem_1')).nickname)
`

/** The code of a theme, which runs in a browser and is only checked here. */
const THEME = `
import type { Account, CancelEvents } from '@perennial/sdk/storefront'

const button = document.querySelector('perennial-cancel')!
button.addEventListener('perennial-cancel-done', ({ detail }) => detail.reason satisfies string)
button.addEventListener('perennial-cancel-step', (event) => {
  const { step }: CancelEvents['perennial-cancel-step'] = event.detail
  if (step === 'offers') event.preventDefault()
  // @ts-expect-error A step is one of three.
  step === 'done'
})
button.start()
window.__sdrfMode = 'b'
void document.querySelector('perennial-membership')?.reload()
const nextDates = ({ contracts }: Account) => contracts.map((one) => one.next_billing_date satisfies string)
export { nextDates }
`

const project = await mkdtemp(join(tmpdir(), 'perennial-sdk-'))
after(() => rm(project, { recursive: true, force: true }))
await run('npm', ['pack', './sdk', '--pack-destination', project], { cwd: ROOT })
const [packed] = await readdir(project)
await run('tar', ['xf', packed!], { cwd: project })
await mkdir(join(project, 'node_modules/@perennial'), { recursive: true })
await rename(join(project, 'package'), join(project, 'node_modules/@perennial/sdk'))
for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
  await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
}
await writeFile(join(project, 'package.json'), '{"type":"module"}')
await writeFile(join(project, 'program.ts'), PROGRAM)
await writeFile(join(project, 'theme.ts'), THEME)

test('it has the version of the service', async () => {
  const versionOf = async (path: string) => JSON.parse(await readFile(join(ROOT, path), 'utf8')).version as string
  assert.equal(await versionOf('sdk/package.json'), await versionOf('package.json'))
})

test('it runs as plain JavaScript', async () => {
  const { stdout } = await run(process.execPath, ['program.ts'], { cwd: project })
  assert.equal(stdout, 'ConnectionError\nmember.created\n')
})

for (const [module, moduleResolution] of [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler']
]) {
  test(`its types match its documentation, for ${moduleResolution}`, async () => {
    const args = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2022,dom']
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const given = [
      '--module',
      module!,
      '--moduleResolution',
      moduleResolution!,
      '--types',
      '',
      'program.ts',
      'theme.ts'
    ]
    const checked = run(process.execPath, [tsc, '--ignoreConfig', ...args, ...given], { cwd: project })
    await checked.catch(({ stdout }) => assert.fail(stdout))
  })
}

test('the example runs against the service', async () => {
  const { url } = await testDatabase()
  const service = await startService(url)
  const store = await service.aStore()
  await store.member('ada@example.com')
  await copyFile(join(ROOT, 'examples/sdk-quickstart.mjs'), join(project, 'sdk-quickstart.mjs'))
  const env = { ...process.env, BASE_URL: `${service.urls.public}/v1`, KEY: store.key }
  const { stdout } = await run(process.execPath, ['sdk-quickstart.mjs'], { cwd: project, env })
  const [{ id, customer } = { id: '', customer: { id: '' } }] = (await service.client(store.key).members.list()).data
  assert.deepEqual(
    stdout
      .replace(/request \S+\)/, 'request …)')
      .replace(/\d+ requests/, '… requests')
      .trim()
      .split('\n'),
    [
      '1 active members, among them:',
      `  ${id} ada@example.com 2026-02-28T15:00:00.000Z`,
      '0 charges were declined by a card',
      `${id} has 5 USD of store credit`,
      `Refused: amount is more than the available store credit: ${customer.id} has 5.00 USD available, and 1000000.00 was requested (request …)`,
      'MRR 29 USD; … requests left'
    ]
  )
})
