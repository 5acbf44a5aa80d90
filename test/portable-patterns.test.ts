import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patternProblem } from '../scripts/portable-patterns.ts'

test('patterns that JavaScript, Python and Go read alike pass', () => {
  const portable = [
    '^[0-9]{1,20}$',
    '[^\\x09-\\x0d \u00a0\u2000-\u200a]',
    '^[\\x21-\\x7e]*$',
    '^(?:a|b)+$',
    '^[^@\\t]{1,64}@[^\\]\\[.-]+$',
    '^a\\.b\\$$'
  ]
  for (const pattern of portable) assert.equal(patternProblem(pattern), null, pattern)
})

test('patterns that one of them does not know, or reads in another way, are refused', () => {
  const refused = [
    '(?=a)b',
    '(?!0000)a',
    '(?<=a)b',
    '(?<year>a)',
    '\\p{L}',
    '[^\\p{Cc}]',
    '\\u0041',
    '[\\u{1F600}]',
    '\\d+',
    '\\S',
    '[^@\\s]',
    '[\\w]',
    '\\bword',
    '(a)\\1',
    '\\cA',
    'a{1001}',
    'a{1,2000}',
    '[]',
    '[^]',
    '[a&&b]',
    'a(',
    'a\\'
  ]
  for (const pattern of refused) assert.notEqual(patternProblem(pattern), null, pattern)
})
