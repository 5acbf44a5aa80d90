import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { CommandError } from './command-error.ts'

/** The SHA-256 of a file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch (err) {
    throw new CommandError('invalid_request', `The file cannot be read: ${(err as Error).message}`)
  }
  return hash.digest('hex')
}
