import { readFile } from 'node:fs/promises'

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
