import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The text of a file that holds a secret. Creates the file with `create()` if there is none: complete from the start and readable
 * by its owner only. Of several processes that start at once, one writes the file and all use its text. Throws the errors of the
 * file system.
 */
export function readOrCreateSecretFile(path: string, create: () => string): string {
  return (readIfExists(path) ?? createFile(path, create())).trim()
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw err
  }
}

function createFile(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, path)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EEXIST') throw err
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(path, 'utf8')
}
