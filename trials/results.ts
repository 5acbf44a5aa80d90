import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The lines of a file of results; none if it does not exist. */
export async function readResults<T>(file: string): Promise<T[]> {
  const text = await readFile(file, 'utf8').catch((err: NodeJS.ErrnoException) => {
    if (err.code === 'ENOENT') return ''
    throw err
  })
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** The commit that is checked out, with a + if tracked files differ from it; `none` in a copy without history. */
export async function currentCommit(): Promise<string> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: import.meta.dirname })).stdout.trim()
  const commit = await git('rev-parse', '--short', 'HEAD').catch(() => 'none')
  const isChanged = commit !== 'none' && (await git('status', '--porcelain', '--untracked-files=no')) !== ''
  return isChanged ? `${commit}+` : commit
}
