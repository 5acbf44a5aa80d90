import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateSecretFile } from '#kit/secret-file'
import { randomToken } from '#kit/secrets'
import { EnvironmentProblem, OPERATOR_TOKEN_FORM } from '../cli/environment-variables.ts'
import { OPERATOR_TOKEN_FILE } from '../cli/find-server.ts'

const MASTER_KEY_BYTES = 32
const MASTER_KEY_FILE = 'master.key'
const MASTER_KEY_FORM = '32 bytes in base64; the file was changed, restore its content'

/** Undefined when the text is not 32 bytes in base64. */
export function parseMasterKey(given: string): Buffer | undefined {
  const key = Buffer.from(given, 'base64')
  const rest = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  return key.length === MASTER_KEY_BYTES && rest(key.toString('base64')) === rest(given) ? key : undefined
}

/** Undefined when the text is not valid in a header or is easy to guess. */
export function parseOperatorToken(given: string): string | undefined {
  return /^[\x21-\x7e]{32,}$/.test(given) ? given : undefined
}

/** Made at the first start. Refuses where only the file is gone: another key would not open what its database holds. */
export function masterKeyIn(dataDir: string): Buffer {
  const [file, cluster] = [join(dataDir, MASTER_KEY_FILE), join(dataDir, 'postgres')]
  if (!existsSync(file) && existsSync(cluster)) {
    throw new EnvironmentProblem(
      `${file} is missing, and the database in ${cluster} cannot be used without it: put the file back, or set PERENNIAL_MASTER_KEY`
    )
  }
  const create = () => randomBytes(MASTER_KEY_BYTES).toString('base64')
  return secretIn(dataDir, MASTER_KEY_FILE, create, parseMasterKey, MASTER_KEY_FORM)
}

export function operatorTokenIn(dataDir: string): string {
  const create = () => `op_${randomToken()}`
  const accepted = `${OPERATOR_TOKEN_FORM}; delete the file to have a new token made`
  return secretIn(dataDir, OPERATOR_TOKEN_FILE, create, parseOperatorToken, accepted)
}

function secretIn<T>(
  dataDir: string,
  name: string,
  create: () => string,
  parse: (text: string) => T | undefined,
  accepted: string
): T {
  const path = join(dataDir, name)
  const value = parse(read(path, create))
  if (value === undefined) throw new EnvironmentProblem(`${path} must hold ${accepted}`)
  return value
}

function read(path: string, create: () => string): string {
  try {
    return readOrCreateSecretFile(path, create)
  } catch (err) {
    throw new EnvironmentProblem(
      `DATA_DIR must be a directory that the service can write to: ${(err as Error).message}`
    )
  }
}
