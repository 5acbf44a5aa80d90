// A start with a master key other than the database's is refused with one line, with SANDBOX on or off.
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

for (const sandbox of ['on', 'off']) {
  test(`with SANDBOX=${sandbox} the service reports the wrong key and does not start`, async () => {
    await aStore(db)
    const dataDir = mkdtempSync(join(tmpdir(), 'perennial-key-'))
    after(() => rmSync(dataDir, { recursive: true, force: true }))
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: {
        ...process.env,
        DATABASE_URL: url,
        DATA_DIR: dataDir,
        PORT: '0',
        SANDBOX_PORT: '0',
        SANDBOX: sandbox,
        DEMO: 'off',
        PERENNIAL_MASTER_KEY: Buffer.alloc(32, 99).toString('base64')
      }
    })
    const [errorOutput, [code]] = await Promise.all([text(child.stderr), once(child, 'exit'), text(child.stdout)])
    assert.equal(code, 1)
    assert.match(
      errorOutput,
      /^perennial: The master key does not open the secrets in this database\. PERENNIAL_MASTER_KEY/
    )
    assert.equal(errorOutput.trim().split('\n').length, 1)
  })
}

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
