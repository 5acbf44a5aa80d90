// Groups of test files that share a process. Loading the service takes a second of CPU, more than most files need for their tests.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Files of a group: more would hold longer what earlier ones left, and keep one process busy while others have nothing to do. */
const GROUP_SIZE = 16
/**
 * These have a process of their own: those that start processes themselves, those that look at or change what belongs to the whole
 * process, and those that wait between two tests of a file, since a test ends when those that it has begun so far have ended.
 */
const ALONE =
  /child_process|call-recorder|playwright|mock\.timers|directStatements|process\.(chdir|exitCode)|\) of await |await listPatches/

/**
 * The files that `node --test` is given for a whole run: those that stay alone, then a file in `folder` for each group, which
 * runs its test files one after the other. A test file's `before` and `after` belong to it alone: it runs within a test of its
 * own.
 */
export async function groupTestFiles(files: readonly string[], folder: string): Promise<string[]> {
  const alone: string[] = []
  const shared: string[] = []
  for (const file of files.toSorted()) {
    const text = await readFile(file, 'utf8')
    if (ALONE.test(text)) alone.push(file)
    else shared.push(file)
  }
  const groups: string[] = []
  const count = Math.ceil(shared.length / GROUP_SIZE)
  for (let group = 0; group < count; group++) {
    const path = join(folder, `group-${group + 1}.test.mjs`)
    // Files of one folder or subject take about as long as each other, so they are dealt to all groups.
    await writeFile(path, groupText(shared.filter((_, i) => i % count === group)))
    groups.push(path)
  }
  return [...alone, ...groups]
}

function groupText(files: readonly string[]): string {
  const members = files.map((file) => [file, pathToFileURL(file).href])
  return `import { test } from 'node:test'
for (const [file, url] of ${JSON.stringify(members)}) await test(file, () => import(url))
`
}
