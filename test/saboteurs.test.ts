import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { SABOTEURS } from '../trials/saboteurs.ts'

// The runs themselves take minutes: npm run trials -- --prove
for (const [name, { edits }] of Object.entries(SABOTEURS)) {
  test(`the code that a saboteur changes is still there once: ${name}`, async () => {
    for (const { file, from, to } of edits) {
      const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8')
      assert.equal(text.split(from).length, 2, file)
      assert.notEqual(from, to)
    }
  })
}
