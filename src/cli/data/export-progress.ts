import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../command-error.ts'

/** How far the rows of an endpoint are on disk. */
export type Reached = {
  /** Where its list goes on. */
  next: number
  /** The bytes of the part file that are whole pages, and their rows. */
  bytes: number
  rows: number
  /** A hash of the last page, by which a list with page numbers shows that it has not moved. */
  lastPage: string | null
  /** Fields that rows have besides the declared ones. */
  others: string[]
  state: 'reading' | 'read' | 'written'
}

type Kept = { of: Record<string, string>; run: string; endpoints: Record<string, Reached> }

/** What an interrupted export has reached, kept in the folder until the export is complete. */
export type ExportProgress = {
  find(endpoint: string): Reached | undefined
  /** On disk when it returns. */
  save(endpoint: string, reached: Reached): Promise<void>
  remove(): Promise<void>
}

const FILE = 'perennial-export.json'

/**
 * Opens the progress of an export into a folder. `of` says what is exported: a folder in which another export was interrupted is refused,
 * unless `restart` forgets that one or it had no rows yet.
 */
export async function openProgress(
  folder: string,
  of: Record<string, string>,
  restart: boolean
): Promise<ExportProgress> {
  const path = join(folder, FILE)
  const found = restart ? null : await readKept(path)
  const before = found && Object.keys(found.endpoints).length > 0 ? found : null
  if (before && JSON.stringify(before.of) !== JSON.stringify(of)) {
    const was = Object.entries(before.of).map(([name, value]) => `${name} ${value}`)
    throw new CommandError(
      'conflict',
      `${folder} has an export that was interrupted: ${was.join(', ')}. Repeat that one, choose another folder, or add --restart`
    )
  }
  const kept: Kept = { of, run: randomUUID(), endpoints: before?.endpoints ?? {} }
  await write(path, kept)
  return {
    find: (endpoint) => kept.endpoints[endpoint],
    async save(endpoint, reached) {
      if ((await readKept(path))?.run !== kept.run) {
        throw new CommandError('conflict', `Another export has begun to write into ${folder}; this one has stopped`)
      }
      kept.endpoints[endpoint] = reached
      await write(path, kept)
    },
    remove: () => rm(path, { force: true })
  }
}

async function readKept(path: string): Promise<Kept | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Kept
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new CommandError(
      'conflict',
      `${path} cannot be read: ${(err as Error).message}. Add --restart to begin again`
    )
  }
}

/** Whole or not at all, also when the machine stops. */
async function write(path: string, kept: Kept): Promise<void> {
  const file = await open(`${path}.new`, 'w')
  try {
    await file.writeFile(`${JSON.stringify(kept)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
