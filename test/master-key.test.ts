// A start is refused with one line: with a master key other than the database's, SANDBOX on or off, and with a HOST of elsewhere.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isMasterKeyValid } from '#stores'
import { testDatabase } from './database.ts'
import { aStore, testVault } from './store-builder.ts'

const { db, url } = await testDatabase()
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Starts the service, which must end by itself; returns its exit code and what it says. */
async function refused(env: Record<string, string>): Promise<{ code: number; said: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'perennial-key-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...process.env, DATABASE_URL: url, DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0', DEMO: 'off', ...env }
  })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit'), text(child.stdout)])
  return { code, said }
}

for (const sandbox of ['on', 'off']) {
  test(`with SANDBOX=${sandbox} the service reports the wrong key and does not start`, async () => {
    await aStore(db)
    const wrongKey = Buffer.alloc(32, 99).toString('base64')
    const { code, said } = await refused({ SANDBOX: sandbox, PERENNIAL_MASTER_KEY: wrongKey })
    assert.equal(code, 1)
    assert.match(said, /^perennial: The master key does not open the secrets in this database\. PERENNIAL_MASTER_KEY/)
    assert.equal(said.trim().split('\n').length, 1)
  })
}

test('a HOST that is no address of this machine is an invalid setting', async () => {
  const { url: empty } = await testDatabase()
  // An address for documentation (RFC 5737), which no machine has.
  const { code, said } = await refused({ DATABASE_URL: empty, HOST: '192.0.2.1', LOG_LEVEL: 'error' })
  assert.equal(code, 78)
  assert.equal(said, 'perennial: HOST must be an address of this machine, or a name of one, which 192.0.2.1 is not\n')
})

test('a single damaged row is not reported as a wrong key', async () => {
  const { storeId } = await aStore(db)
  await db.inInstallation((tx) =>
    tx.run({
      name: 'damage',
      text: `update stores set platform_credentials = 'damaged' where store_id = $1`,
      values: [storeId]
    })
  )
  assert.equal(await isMasterKeyValid(db, testVault), true)
})
