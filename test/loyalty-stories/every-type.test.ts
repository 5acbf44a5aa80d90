// A type of rules that is added later has a story too.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { RULE_TYPE_NAMES } from '../../src/loyalty/rules/rule-types.ts'

test('each type of rules has a story, whose title begins with it', async () => {
  const titled = new Set<string>()
  for await (const file of glob(`${import.meta.dirname}/*.test.ts`)) {
    for (const [, title] of (await readFile(file, 'utf8')).matchAll(/^test\('([^:']+):/gm)) {
      for (const word of title!.split(/[ ,]+/)) titled.add(word)
    }
  }
  assert.deepEqual(
    RULE_TYPE_NAMES.filter((name) => !titled.has(name)),
    []
  )
})
