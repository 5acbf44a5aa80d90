// docs/storefront.md names what the elements have: their texts, events, parts and variables.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ENGLISH as ACCOUNT } from '../web/storefront/account/texts.ts'
import { ENGLISH as CANCEL } from '../web/storefront/cancel/texts.ts'
import { ENGLISH as CART } from '../web/storefront/cart/words.ts'

const page = await readFile('docs/storefront.md', 'utf8')
const sources = await Promise.all(
  (await Array.fromAsync(glob('web/storefront/**/*.{ts,css}')))
    .filter((file) => !file.includes('/dist/'))
    .map((file) => readFile(file, 'utf8'))
)
const code = sources.join('\n')
const namesIn = (pattern: RegExp) => [...new Set([...code.matchAll(pattern)].map(([, name]) => name!))].sort()
const missing = (names: string[]) => names.filter((name) => !page.includes(`\`${name}\``))

test('every text', () => {
  assert.deepEqual(missing([CANCEL, ACCOUNT, CART].flatMap((texts) => Object.keys(texts))), [])
})

test('every placeholder of a text', () => {
  const texts = [CANCEL, ACCOUNT, CART].flatMap((texts) => Object.values<string>(texts)).join(' ')
  assert.deepEqual(missing([...texts.matchAll(/\{\w+\}/g)].map(([name]) => name)), [])
})

test('every event', () => {
  const names = namesIn(/'(perennial-(?:cancel|account|cart)-[a-z]+)'/g).filter((name) => !name.endsWith('.js'))
  assert.ok(names.length > 10)
  assert.deepEqual(missing([...names, 'perennial-join']), [])
})

test('every variable', () => {
  assert.deepEqual(missing(namesIn(/(--perennial-[a-z-]+)/g)), [])
})

test('every part', () => {
  const names = namesIn(/part: '([a-z- ]+)'/g).flatMap((names) => names.split(' '))
  assert.ok(names.length > 20)
  assert.deepEqual(missing(names), [])
})
