import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Row } from './endpoint.ts'

/** A file of rows, one JSON object a line, that grows by whole pages. */
export type PartFile = {
  /** On disk when it returns. Returns the size of the file in bytes. */
  append(rows: readonly Row[]): Promise<number>
  close(): Promise<void>
}

/** Opens a part file at a size that it had, and forgets what is behind it. Null: it is shorter than that. */
export async function openPart(path: string, bytes: number): Promise<PartFile | null> {
  const file = await open(path, bytes === 0 ? 'w' : 'r+').catch((err: NodeJS.ErrnoException) => {
    if (err.code === 'ENOENT') return null
    throw err
  })
  if (!file) return null
  if ((await file.stat()).size < bytes) {
    await file.close()
    return null
  }
  await file.truncate(bytes)
  let size = bytes
  return {
    async append(rows) {
      const text = Buffer.from(rows.map(jsonLine).join(''))
      await file.write(text, 0, text.length, size)
      await file.datasync()
      size += text.length
      return size
    },
    close: () => file.close()
  }
}

// Readers of lines, Node's own among them, take these two for the end of a line; JSON does not mind their escapes.
const LINE_ENDS = /[\u2028\u2029]/g

const jsonLine = (row: Row): string =>
  `${JSON.stringify(row).replace(LINE_ENDS, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'))}\n`

/** The rows of a part file, so many at once. */
export async function* readPart(path: string, atOnce: number): AsyncGenerator<Row[]> {
  let rows: Row[] = []
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    rows.push(JSON.parse(line) as Row)
    if (rows.length < atOnce) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}
