import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeFormula, escapeRowText, unescapeFormula } from './formula-escape.ts'

test('a cell that a spreadsheet would run gets an apostrophe, and reading takes away that one only', () => {
  for (const [value, cell] of [
    ['+4917', "'+4917"],
    ['=1+1', "'=1+1"],
    ['-2', "'-2"],
    ['@x', "'@x"],
    ['\tx', "'\tx"],
    ['\rx', "'\rx"],
    ["'+4917", "''+4917"],
    ["''=x", "'''=x"],
    ["'plain", "'plain"],
    ["it's", "it's"],
    ["'", "'"],
    ['', '']
  ] as const) {
    assert.equal(escapeFormula(value), cell)
    assert.equal(unescapeFormula(cell), value)
  }
})

test('every value is read as it was written, and no cell begins like a formula', () => {
  const likely = fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', 'a', '1') })
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: 'binary' })), (value) => {
      const cell = escapeFormula(value)
      assert.equal(unescapeFormula(cell), value)
      assert.doesNotMatch(cell, /^[=+\-@\t\r]/)
      // A row's text is harmless too, and its first cell has the same value as before.
      assert.doesNotMatch(escapeRowText(value), /^[=+\-@\t\r]/)
      assert.equal(unescapeFormula(escapeRowText(value)), unescapeFormula(value))
    })
  )
})
