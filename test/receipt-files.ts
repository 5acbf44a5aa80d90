import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiskFiles } from '#loyalty'

/** Where the receipts of this process are; nothing is there before the first, and nothing is left. */
export const receiptFolder = join(tmpdir(), `perennial-receipts-${process.pid}`)

export const receiptFiles = createDiskFiles(receiptFolder)

process.on('exit', () => rmSync(receiptFolder, { recursive: true, force: true }))
