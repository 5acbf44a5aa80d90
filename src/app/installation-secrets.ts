import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomToken } from '#kit/secrets'
import { OPERATOR_TOKEN_FILE } from '../cli/find-server.ts'
import { SettingProblem } from './settings.ts'

const MASTER_KEY_BYTES = 32
const MASTER_KEY_FILE = 'master.key'

/** Undefined when the text is not 32 bytes in base64. */
export function parseMasterKey(given: string): Buffer | undefined {
  const key = Buffer.from(given, 'base64')
  const rest = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  return key.length === MASTER_KEY_BYTES && rest(key.toString('base64')) === rest(given) ? key : undefined
}

/** Undefined when the text does not fit into a header or is easily guessed. */
export function parseOperatorToken(given: string): string | undefined {
  return /^[\x21-\x7e]{8,}$/.test(given) ? given : undefined
}

export function masterKeyIn(dataDir: string): Buffer {
  const make = () => randomBytes(MASTER_KEY_BYTES).toString('base64')
  return keptIn(dataDir, MASTER_KEY_FILE, make, parseMasterKey, '32 bytes in base64')
}

export function operatorTokenIn(dataDir: string): string {
  const make = () => `op_${randomToken()}`
  return keptIn(dataDir, OPERATOR_TOKEN_FILE, make, parseOperatorToken, 'at least 8 characters without spaces')
}

/** What the file holds; made the first time, whole from the start and readable to its owner only. */
function keptIn<T>(
  dataDir: string,
  name: string,
  make: () => string,
  parse: (text: string) => T | undefined,
  takes: string
): T {
  const path = join(dataDir, name)
  try {
    const text = readIfThere(path) ?? keep(dataDir, path, make())
    const value = parse(text.trim())
    if (value !== undefined) return value
  } catch (err) {
    throw new SettingProblem(`DATA_DIR takes a directory that the service can write to: ${(err as Error).message}`)
  }
  throw new SettingProblem(`${path} takes ${takes}; the file was changed, put back what it held`)
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw err
  }
}

/** Of several processes that start at once one writes the file, and all use that one's. */
function keep(dataDir: string, path: string, text: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
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
