// Tries the patches of docs/how-to-add on a clean copy of the tree, one by one: `node scripts/how-to-add.ts [name …]`.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inCleanCopy } from './clean-copy.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PATCHES = join(ROOT, 'docs/how-to-add')

/** What a patch touches: its new files, and how many lines it adds to and removes from files that exist. */
export type PatchSize = { newFiles: string[]; changed: { file: string; added: number; removed: number }[] }

/** The names of the patches, in order: `job` for `job.patch`. */
export async function listPatches(): Promise<string[]> {
  return (await readdir(PATCHES))
    .filter((name) => name.endsWith('.patch'))
    .map((name) => name.slice(0, -6))
    .sort()
}

/** Counts what a patch in git's format touches. */
export function sizeOf(patch: string): PatchSize {
  const size: PatchSize = { newFiles: [], changed: [] }
  for (const part of patch.split(/^diff --git /m).slice(1)) {
    const file = part.match(/^\+\+\+ b\/(.+)$/m)![1]!
    const lines = part.slice(part.indexOf('\n@@')).split('\n')
    const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
    if (/^new file mode/m.test(part)) size.newFiles.push(file)
    else size.changed.push({ file, added: count('+'), removed: count('-') })
  }
  return size
}

/** What is wrong with the size of a patch: it may add one file, that file's test, and one line in one other file. */
export function sizeProblems({ newFiles, changed }: PatchSize): string[] {
  const tests = newFiles.filter((file) => file.endsWith('.test.ts'))
  const others = newFiles.filter((file) => !file.endsWith('.test.ts'))
  const problems: string[] = []
  if (others.length !== 1) problems.push(`adds ${others.length} files beside tests, not one: ${others.join(', ')}`)
  if (tests.length !== 1) problems.push(`adds ${tests.length} tests, not one`)
  const lines = changed.reduce((sum, { added, removed }) => sum + Math.max(added, removed), 0)
  if (changed.length > 1 || lines > 1)
    problems.push(`changes ${lines} lines in ${changed.map(({ file }) => file).join(', ')}, not one`)
  return problems
}

/** Applies a patch to a copy of the tracked files, makes the generated files anew, and runs the checks and the patch's test. */
export async function tryPatch(name: string): Promise<void> {
  const patch = join(PATCHES, `${name}.patch`)
  const size = sizeOf(await readFile(patch, 'utf8'))
  const problems = sizeProblems(size)
  if (problems.length > 0) throw new Error(`${name}.patch ${problems.join('; ')}`)
  await inCleanCopy(async (copy) => {
    const inCopy = (command: string, ...args: string[]) =>
      copy.run(command, ...args).catch((err) => {
        throw new Error(`${name}.patch: ${command} ${args.join(' ')} failed:\n${err.stdout}${err.stderr}`)
      })
    await inCopy('git', 'apply', '--whitespace=error', patch)
    for (const script of GENERATORS) await inCopy('npm', 'run', '--silent', script)
    await inCopy('npm', 'run', '--silent', 'check')
    await inCopy(process.execPath, 'test/run.ts', ...size.newFiles.filter((file) => file.endsWith('.test.ts')))
  })
}

/** The npm scripts that write what is made from the sources. */
const GENERATORS = ['schemas:generate', 'sdk:generate', 'docs:generate']

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2)
  for (const name of names.length > 0 ? names : await listPatches()) {
    await tryPatch(name)
    process.stdout.write(`${name}: one file, its test and one line; checks and test pass\n`)
  }
}
