import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { MigrationSet } from '#kit/postgres'
import { leaveRoot, RootProblem, type ServiceUser, serviceUserFor } from '#kit/process'
import { Refusal } from '#kit/refusal'

/** As whom a command works on the database when root has started it: as whom the service runs. Null where root has not. */
export function commandUser(env: NodeJS.ProcessEnv, dataDir: string): ServiceUser | null {
  try {
    return serviceUserFor(dataDir, env.PERENNIAL_USER?.trim() || null)
  } catch (err) {
    throw err instanceof RootProblem ? new Refusal('invalid_request', err.message) : err
  }
}

/**
 * Continues as this user, for good, and calls `work` with migrations that the user can read: the checkout may be below a directory
 * that only root may enter. Without a user it only calls `work`.
 */
export async function asServiceUser<T>(
  { user, dataDir, sets }: { user: ServiceUser | null; dataDir: string; sets: readonly MigrationSet[] },
  work: (sets: readonly MigrationSet[]) => Promise<T>
): Promise<T> {
  if (user === null) return work(sets)
  const files = sets.flatMap(({ name, directory }) => filesOf(name, fileURLToPath(directory)))
  leaveRoot(user, dataDir)
  const copies = mkdtempSync(join(tmpdir(), 'perennial-migrations-'))
  try {
    for (const { path, bytes } of files) {
      await mkdir(dirname(join(copies, path)), { recursive: true })
      writeFileSync(join(copies, path), bytes)
    }
    return await work(sets.map(({ name }) => ({ name, directory: pathToFileURL(`${join(copies, name)}/`) })))
  } finally {
    rmSync(copies, { recursive: true, force: true })
  }
}

const filesOf = (name: string, directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sql'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return { path: join(name, path.slice(directory.length)), bytes: readFileSync(path) }
    })
