import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { concealed, equalInConstantTime, openVault, randomToken, Secret } from './secrets.ts'

test('a secret shows nowhere but where it is revealed', () => {
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

test('what was sealed opens for its purpose and under its master key only, and never twice the same bytes', () => {
  const master = randomBytes(32)
  const vault = openVault(master)
  const sealed = vault.seal('a', 'schlüssel')

  assert.equal(vault.open('a', sealed), 'schlüssel')
  assert.notDeepEqual(vault.seal('a', 'schlüssel'), sealed)
  assert.throws(() => vault.open('b', sealed), /does not open/)
  assert.throws(() => openVault(randomBytes(32)).open('a', sealed), /master key/)
})

test('a change to any byte of what was sealed is noticed', () => {
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

test('random tokens have the length asked for, all 62 characters, and do not repeat', () => {
  const tokens = Array.from({ length: 500 }, () => randomToken())
  assert.ok(tokens.every((token) => /^[0-9A-Za-z]{32}$/.test(token)))
  assert.equal(new Set(tokens).size, 500)
  assert.equal(new Set(tokens.join('')).size, 62)
})
