import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mutatedText } from './mutant.ts'
import { type Planned, RESULTS, ROOT } from './results.ts'

/**
 * Which of these mutants of code TypeScript refuses: each is written beside its file under a name of its own, and one run of the
 * compiler reads all of them. An error in a file that imports the mutated one is not seen.
 */
export async function refusedByTypes(mutants: Planned[]): Promise<Set<string>> {
  if (mutants.length === 0) return new Set()
  const dir = join(RESULTS, `types-${process.pid}`)
  try {
    await mkdir(dir, { recursive: true })
    await cp(join(ROOT, 'src'), join(dir, 'src'), {
      recursive: true,
      filter: (path) => !/\.test(-helper)?\.ts$/.test(path)
    })
    await cp(join(ROOT, 'sandbox'), join(dir, 'sandbox'), {
      recursive: true,
      filter: (path) => !/\.test\.ts$/.test(path)
    })
    await cp(join(ROOT, 'package.json'), join(dir, 'package.json'))
    await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
    const config = JSON.parse(await readFile(join(ROOT, 'tsconfig.json'), 'utf8'))
    await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ ...config, include: ['src'] }))
    const files = new Map<string, string>()
    for (const [n, { id, mutant, source }] of mutants.entries()) {
      const file = mutant.file.replace(/\.ts$/, `.mutant${n}.ts`)
      files.set(file, id)
      await writeFile(join(dir, file), mutatedText(source, mutant))
    }
    const output = await new Promise<string>((resolve) =>
      execFile(
        join(ROOT, 'node_modules/.bin/tsc'),
        ['-p', '.', '--pretty', 'false'],
        { cwd: dir, maxBuffer: 1 << 28 },
        (_, out) => resolve(out)
      )
    )
    const refused = [...output.matchAll(/^(\S+\.mutant\d+\.ts)\(/gm)].map(([, file]) => files.get(file!)!)
    return new Set(refused)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
