import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlatformAddress } from '#platform'
import { isSameHome, isSameMailbox } from './self-referral.ts'

test('mailboxes are the same without capitals, what follows a plus, and the dots of Gmail', () => {
  const same: [string, string][] = [
    ['Ada@Example.com', ' ada@example.com'],
    ['ada+shop@example.com', 'ada@example.com'],
    ['ada+a+b@example.com', 'ada+c@example.com'],
    ['a.d.a@gmail.com', 'ada+x@googlemail.com']
  ]
  for (const [one, other] of same) assert.ok(isSameMailbox(one, other), `${one} ${other}`)
  const different: [string | null, string | null][] = [
    ['a.da@example.com', 'ada@example.com'],
    ['ada@example.com', 'ada@example.org'],
    ['+ada@example.com', '+eve@example.com'],
    ['ada', 'ada@example.com'],
    [null, null],
    ['', ''],
    [null, 'ada@example.com']
  ]
  for (const [one, other] of different) assert.ok(!isSameMailbox(one, other), `${one} ${other}`)
})

const home = (over: Partial<PlatformAddress> = {}): PlatformAddress => ({
  ...{ address1: '12 Elm St.', address2: null, city: 'Zürich', zip: '8001', countryCode: 'CH', ...over }
})

test('homes are the same however they are written, and not where a house, a flat or a place is another', () => {
  const same = [
    home({ address1: ' 12  ELM st' }),
    home({ address2: 'Apt 4' }),
    home({ city: 'Zurich' }),
    home({ zip: null, city: 'ZURICH' })
  ]
  for (const other of same) assert.ok(isSameHome(home(), other) && isSameHome(other, home()), JSON.stringify(other))
  const different = [
    home({ address1: '12a Elm St.' }),
    home({ zip: '8002' }),
    home({ countryCode: 'LI' }),
    home({ zip: null, city: 'Bern' }),
    home({ zip: null, city: null }),
    home({ address1: null })
  ]
  for (const other of different) assert.ok(!isSameHome(home(), other), JSON.stringify(other))
  assert.ok(!isSameHome(home({ address2: 'Apt 4' }), home({ address2: 'Apt 5' })))
  assert.ok(!isSameHome(home({ address1: '' }), home({ address1: ' ' })))
  assert.ok(!isSameHome(home({ zip: null, city: null }), home({ zip: null, city: null })))
})
