import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

export type OlderCode = {
  commit: string
  main: string
  /** The names of its consumers of facts. */
  consumers: string[]
  remove(): Promise<void>
}

/** The code of the commit in migrations/upgrade-commit.json, or the reason why this copy of the repository does not have it. */
export async function olderCode(): Promise<OlderCode | { skipped: string }> {
  const file = await readFile(join(ROOT, 'migrations/upgrade-commit.json'), 'utf8')
  const { commit } = JSON.parse(file) as { commit: string }
  const known = run('git', ['-C', ROOT, 'cat-file', '-e', `${commit}^{commit}`])
  if (!(await known.then(Boolean, () => false))) {
    return { skipped: `commit ${commit} is not in this copy, which has no git history or only a part of it` }
  }
  const folder = await mkdtemp(join(tmpdir(), 'perennial-upgrade-'))
  await run('git', ['-C', ROOT, 'archive', '--format=tar', '-o', join(folder, 'older.tar'), commit])
  await run('tar', ['-xf', join(folder, 'older.tar'), '-C', folder])
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const { consumers } = (await import(pathToFileURL(join(folder, 'src/app/consumers.ts')).href)) as {
    consumers: { name: string }[]
  }
  return {
    commit,
    main: join(folder, 'src/main.ts'),
    consumers: consumers.map(({ name }) => name),
    remove: () => rm(folder, { recursive: true, force: true })
  }
}
