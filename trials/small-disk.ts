import { execFile } from 'node:child_process'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CHUNK = Buffer.alloc(1 << 20)

export type SmallDisk = {
  /** Leaves no byte free. */
  fill(): Promise<void>
  free(): Promise<void>
  close(): Promise<void>
}

/** A file system in memory of so many bytes at `path`; null with a reason where the system does not let us have one. */
export async function aSmallDisk(path: string, bytes: number): Promise<SmallDisk | { skipped: string }> {
  if (process.platform !== 'linux') return { skipped: 'disk-full: needs Linux, for a file system in memory' }
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path])
  } catch (err) {
    return {
      skipped: `disk-full: needs the right to mount a small file system (root): ${(err as Error).message.trim()}`
    }
  }
  const filler = join(path, 'filler')
  return {
    async fill() {
      const file = await open(filler, 'a')
      try {
        for (const part of [CHUNK, CHUNK.subarray(0, 4096)]) for (;;) await file.write(part)
      } catch (err) {
        if ((err as NodeJS.ErrnoException).code !== 'ENOSPC') throw err
        const { bavail, bsize } = await statfs(path)
        if (bavail * bsize > CHUNK.length) throw new Error('The disk is not full')
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler, { force: true }),
    close: async () => void (await run('umount', [path]))
  }
}
