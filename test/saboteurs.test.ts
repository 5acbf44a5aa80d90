import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SABOTEURS } from '../trials/saboteurs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

// Whether the trials notice them is what `npm run trials -- --prove` shows, which takes long.
test('each saboteur of a trial finds the code that it breaks', async () => {
  for (const [name, { edits }] of Object.entries(SABOTEURS)) {
    const texts = new Map<string, string>()
    for (const { file, from, to } of edits) {
      const text = texts.get(file) ?? (await readFile(join(ROOT, file), 'utf8'))
      assert.equal(text.split(from).length, 2, `${name}: ${file} has once: ${from}`)
      texts.set(
        file,
        text.replace(from, () => to)
      )
    }
  }
})
