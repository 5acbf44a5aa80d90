import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { ENVIRONMENT_VARIABLES } from '../cli/environment-variables.ts'
import { addressOf, loadConfig } from './config.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'perennial-config-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))
const load = (env: Record<string, string> = {}) => loadConfig({ DATA_DIR: dataDir, ...env }, false)

test('without settings it is the service of this machine, with its sandbox beside it', () => {
  const config = load()
  assert.deepEqual(
    [config.host, config.port, config.sandbox, config.demo, config.databaseUrl, config.publicUrl, config.log],
    ['127.0.0.1', 3000, { port: 3001 }, true, null, null, { level: 'info', format: 'json' }]
  )
})

test('master key and operator token are made once, for the owner alone to read', () => {
  const first = load()
  const second = load()
  assert.deepEqual(first.masterKey, second.masterKey)
  assert.equal(first.operatorToken.reveal(), second.operatorToken.reveal())
  for (const file of ['master.key', 'operator.token']) {
    assert.equal(statSync(join(dataDir, file)).mode & 0o777, 0o600, file)
  }
  const token = readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()
  const shown = inspect(first, { depth: 5 }) + JSON.stringify(first)
  assert.ok(!shown.includes(token) && !shown.includes(first.masterKey.toString('base64')))
})

test('where a database is, a missing master key is not replaced by a new one', () => {
  const key = load().masterKey
  mkdirSync(join(dataDir, 'postgres'))
  renameSync(join(dataDir, 'master.key'), join(dataDir, 'elsewhere'))
  assert.throws(() => load(), /master\.key is missing, and the database in .*postgres cannot be used/)
  assert.ok(!existsSync(join(dataDir, 'master.key')))
  assert.deepEqual(load({ PERENNIAL_MASTER_KEY: key.toString('base64') }).masterKey, key)
  renameSync(join(dataDir, 'elsewhere'), join(dataDir, 'master.key'))
  assert.deepEqual(load().masterKey, key)
})

for (const [name, value] of [
  ['PORT', 'abc'],
  ['PORT', '70000'],
  ['SANDBOX_PORT', '3000'],
  ['SANDBOX', 'maybe'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['DATABASE_POOL', '0'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_FORMAT', 'xml'],
  ['PUBLIC_URL', 'not a url'],
  ['PERENNIAL_MASTER_KEY', 'short'],
  ['PERENNIAL_TOKEN', 'a b'.repeat(20)],
  ['PERENNIAL_TOKEN', 'a'.repeat(31)],
  ['WEBHOOK_MAX_TRIES', '0'],
  ['WEBHOOK_ALLOWED_ADDRESSES', '10.0.0.0/99'],
  ['TRUSTED_PROXIES', 'the proxy'],
  ['HOST', 'a b']
] as const) {
  test(`${name}=${value} is refused in one line that names it`, () => {
    assert.throws(
      () => load({ [name]: value }),
      (err: Error) => err.message.includes(name) && !err.message.includes('\n') && !err.message.includes('undefined')
    )
    const nowhere = join(dataDir, 'nowhere')
    assert.throws(() => load({ DATA_DIR: nowhere, [name]: value }))
    assert.ok(!existsSync(nowhere), 'a start that is refused leaves nothing behind')
  })
}

test('a setting of ours that does not exist is warned about', () => {
  assert.match(load({ PERENNIAL_MASTERKEY: 'x' }).warnings.join(), /PERENNIAL_MASTERKEY/)
})

test('a sandbox that others may reach is warned about', () => {
  assert.match(load({ HOST: '0.0.0.0' }).warnings.join(), /HOST 0\.0\.0\.0 opens the sandbox \(port 3001\) to others/)
  const closed: Record<string, string>[] = [
    {},
    { HOST: '::1' },
    { HOST: 'localhost' },
    { HOST: '0.0.0.0', SANDBOX: 'off' }
  ]
  for (const env of closed) {
    assert.deepEqual(load(env).warnings, [])
  }
})

test('a worker needs the address of the nodes that serve HTTP', () => {
  assert.throws(() => load({ PERENNIAL_ROLE: 'worker' }), /PUBLIC_URL is needed with PERENNIAL_ROLE=worker/)
  assert.equal(load({ PERENNIAL_ROLE: 'worker', PUBLIC_URL: 'https://perennial.example' }).role, 'worker')
  assert.equal(load({ PERENNIAL_ROLE: 'web' }).role, 'web')
  assert.equal(load().role, 'all')
  assert.throws(() => load({ PERENNIAL_ROLE: 'both' }), /PERENNIAL_ROLE must be all, web or worker/)
})

test('the address for this machine itself is one that can be opened', () => {
  assert.deepEqual(
    [addressOf('0.0.0.0', 3000), addressOf('::', 3000), addressOf('localhost', 80)],
    ['http://127.0.0.1:3000', 'http://[::1]:3000', 'http://localhost:80']
  )
})

test('docs/settings.md says of every setting what the program says', async () => {
  const page = await readFile(new URL('../../docs/settings.md', import.meta.url), 'utf8')
  for (const { name, accepts, default: fallback, meaning } of ENVIRONMENT_VARIABLES) {
    assert.ok(page.includes(`| \`${name}\` | ${accepts} | ${fallback} | ${meaning} |`), name)
  }
})

test('a mail server is an smtp address and a sender, both or neither, and its password is never shown', () => {
  assert.equal(load().smtp, null)
  const { smtp } = load({ SMTP_URL: 'smtps://shop:canary@mail.example.com:465', MAIL_FROM: 'shops@example.com' })
  assert.equal(smtp?.url.reveal(), 'smtps://shop:canary@mail.example.com:465')
  assert.equal(smtp?.from, 'shops@example.com')
  assert.doesNotMatch(inspect(smtp), /canary/)
  assert.throws(() => load({ SMTP_URL: 'smtp://mail.example.com' }), {
    message: /SMTP_URL and MAIL_FROM are needed both/
  })
  for (const url of [
    'mail.example.com',
    'http://mail.example.com',
    'smtp://mail.example.com/x',
    'smtp://mail.example.com?a=1'
  ]) {
    assert.throws(() => load({ SMTP_URL: url, MAIL_FROM: 'shops@example.com' }), {
      message: /^SMTP_URL must be an address/
    })
  }
  assert.throws(() => load({ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'Shops <shops@example.com>' }), {
    message: 'MAIL_FROM must be an e-mail address'
  })
})
