import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { concealed, equalInConstantTime, openVault, randomToken, Secret } from './secrets.ts'

test('a secret is visible only through reveal()', () => {
  const secret = new Secret('canary')
  const shown = [String(secret), JSON.stringify({ secret }), inspect({ secret }, { showHidden: true }), `${secret}`]
  for (const text of shown) assert.doesNotMatch(text, /canary/)
  assert.equal(JSON.stringify(secret), '"[secret]"')
  assert.equal(secret.reveal(), 'canary')
})

test('a concealed record reads as usual and prints without its secrets', () => {
  const record = concealed({ url: 'https://a', token: 'canary' }, ['token'])
  assert.equal(record.token, 'canary')
  assert.equal(JSON.stringify(record), '{"url":"https://a","token":"[secret]"}')
  assert.doesNotMatch(inspect({ record }), /canary/)
})

test('a sealed text opens only with its purpose and master key, and sealing twice gives different bytes', () => {
  const master = randomBytes(32)
  const vault = openVault(master)
  const sealed = vault.seal('a', 'schlüssel')

  assert.equal(vault.open('a', sealed), 'schlüssel')
  assert.notDeepEqual(vault.seal('a', 'schlüssel'), sealed)
  assert.throws(() => vault.open('b', sealed), /cannot be decrypted/)
  assert.throws(() => openVault(randomBytes(32)).open('a', sealed), /master key/)
})

test('changing any byte of a sealed text makes opening fail', () => {
  const vault = openVault(randomBytes(32))
  const sealed = vault.seal('a', 'text')
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed)
    changed[i]! ^= 1
    assert.throws(() => vault.open('a', changed), /stored secret \(a\)/)
  }
  assert.throws(() => vault.open('a', sealed.subarray(0, 20)), /form/)
})

test('a short master key is refused', () => {
  assert.throws(() => openVault(randomBytes(31)), /31 bytes/)
})

test('comparing tells equal from different, whatever the lengths', () => {
  assert.ok(equalInConstantTime('abc', 'abc'))
  for (const other of ['', 'ab', 'abcd', 'abd']) assert.ok(!equalInConstantTime(other, 'abc'))
})

test('random tokens have the requested length, use all 62 characters and do not repeat', () => {
  const tokens = Array.from({ length: 500 }, () => randomToken())
  assert.ok(tokens.every((token) => /^[0-9A-Za-z]{32}$/.test(token)))
  assert.equal(new Set(tokens).size, 500)
  assert.equal(new Set(tokens.join('')).size, 62)
})
