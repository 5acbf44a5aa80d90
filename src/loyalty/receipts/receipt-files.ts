import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** Where the files of receipts are. All nodes have the same; a name is written once. */
export type ReceiptFiles = {
  /** When it returns, the file is there as a whole, also after a crash. */
  write(storeId: number, name: string, bytes: Uint8Array): Promise<void>
  /** The bytes of a file; null where it is not there. */
  read(storeId: number, name: string): Promise<Readable | null>
  /** Removes a file, also one of which only a part was written. Safe to repeat. */
  remove(storeId: number, name: string): Promise<void>
  /** Removes all files of a store. Safe to repeat. */
  removeStore(storeId: number): Promise<void>
}

const PART = '.part'

/** Files in a folder of this machine, or of a disk that all nodes share, in one folder for each store. Only the service's user reads them. */
export function createDiskFiles(root: string): ReceiptFiles {
  const folderOf = (storeId: number) => join(root, String(storeId))
  return {
    async write(storeId, name, bytes) {
      const folder = folderOf(storeId)
      const path = join(folder, name)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = await open(`${path}${PART}`, 'w', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}${PART}`, path)
      await syncFolder(folder)
    },
    async read(storeId, name) {
      const file = await open(join(folderOf(storeId), name), 'r').catch(nullWhereMissing)
      return file?.createReadStream() ?? null
    },
    async remove(storeId, name) {
      const path = join(folderOf(storeId), name)
      await rm(`${path}${PART}`, { force: true })
      await rm(path, { force: true })
    },
    removeStore: (storeId) => rm(folderOf(storeId), { recursive: true, force: true })
  }
}

/** Makes a rename last through a crash. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function nullWhereMissing(err: NodeJS.ErrnoException): null {
  if (err.code === 'ENOENT') return null
  throw err
}
