import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './results.ts'

/** Differs after any file of the sources, the migrations or the tests was written: results of a run in between would be wrong. */
export async function treeVersion(): Promise<string> {
  const folders = await Promise.all(
    ['src', 'sandbox', 'migrations', 'test'].map(async (folder) => {
      const files = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })
      const times = files
        .filter((file) => file.isFile())
        .map(async (file) => (await stat(join(file.parentPath, file.name))).mtimeMs)
      const all = await Promise.all(times)
      return `${all.length} ${Math.max(...all)}`
    })
  )
  return folders.join()
}
