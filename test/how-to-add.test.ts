import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { listPatches, sizeOf, sizeProblems } from '../scripts/how-to-add.ts'

const run = promisify(execFile)

const newFile = (name: string) =>
  `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+one\n`
const change = (name: string, lines: string) =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1,2 +1,3 @@\n${lines}`

test('a patch is one file, its test and one line', () => {
  const fits = newFile('src/a.ts') + newFile('src/a.test.ts') + change('src/list.ts', ' before\n+line\n after\n')
  assert.deepEqual(sizeProblems(sizeOf(fits)), [])
})

for (const [what, patch, problem] of [
  ['two files', newFile('src/a.ts') + newFile('src/b.ts') + newFile('src/a.test.ts'), /adds 2 files/],
  ['no test', newFile('src/a.ts'), /adds 0 tests/],
  [
    'two lines',
    newFile('src/a.ts') + newFile('src/a.test.ts') + change('src/list.ts', '+one\n+two\n'),
    /changes 2 lines in src\/list.ts/
  ],
  [
    'a line in each of two files',
    newFile('src/a.ts') + newFile('src/a.test.ts') + change('src/b.ts', '+one\n') + change('src/c.ts', '-one\n+two\n'),
    /changes 2 lines/
  ]
] as const) {
  test(`refused: a patch with ${what}`, () => assert.match(sizeProblems(sizeOf(patch)).join('; '), problem))
}

for (const name of await listPatches()) {
  test(`${name}.patch is one file, its test and one line`, async () => {
    const patch = await readFile(new URL(`../docs/how-to-add/${name}.patch`, import.meta.url), 'utf8')
    assert.deepEqual(sizeProblems(sizeOf(patch)), [])
  })

  test(`${name}.patch fits the sources`, async () => {
    await run('git', ['apply', '--check', `docs/how-to-add/${name}.patch`], { cwd: new URL('..', import.meta.url) })
  })
}
