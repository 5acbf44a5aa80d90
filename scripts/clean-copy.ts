import { execFile } from 'node:child_process'
import { chmod, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

export type CleanCopy = {
  dir: string
  /** Runs a command in the copy; throws when it fails, with `stdout` and `stderr` in the error. */
  run(command: string, ...args: string[]): Promise<{ stdout: string; stderr: string }>
}

/** Gives `work` a copy of the tracked files as they are now, with this checkout's packages, and removes it afterwards. */
export async function inCleanCopy<T>(work: (copy: CleanCopy) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'perennial-copy-'))
  // A service that root starts there goes on as another user, who loads some modules only when they are needed.
  await chmod(dir, 0o755)
  try {
    const { stdout } = await run('git', ['ls-files', '-z'], { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })
    const files = stdout.split('\0').filter(Boolean)
    for (const file of files) await cp(join(ROOT, file), join(dir, file), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
    // `git apply` outside a repository patches what is below the folder. The history is read where it is: a trial needs older code.
    await run('git', ['init', '-q'], { cwd: dir })
    const { stdout: objects } = await run('git', ['rev-parse', '--path-format=absolute', '--git-path', 'objects'], {
      cwd: ROOT
    })
    await writeFile(join(dir, '.git/objects/info/alternates'), objects)
    return await work({
      dir,
      run: (command, ...args) => run(command, args, { cwd: dir, env: environment(), maxBuffer: 64 * 1024 * 1024 })
    })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Without what the test runner set for its own children: the copy's tests have a database server of their own. */
function environment(): NodeJS.ProcessEnv {
  const { TEST_DATABASE_URL: _, TEST_TEMPLATE: __, NODE_TEST_CONTEXT: ___, ...rest } = process.env
  return { ...rest, PATH: `${join(ROOT, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}` }
}
