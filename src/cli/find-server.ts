import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { badUsage, CommandError } from './command-error.ts'
import { readServerFile } from './server-file.ts'

export type Server = { url: URL; token: string }

/** The service writes it at its first start. It authenticates at the admin API. */
export const OPERATOR_TOKEN_FILE = 'operator.token'

const HOW_TO_START = 'start it with `npm start`'

/** Reads PERENNIAL_URL and PERENNIAL_TOKEN; what is not set comes from the files that the service writes to DATA_DIR. */
export function findServer(env: NodeJS.ProcessEnv): Server {
  const dataDir = resolve(env.DATA_DIR || './data')
  return { url: urlOf(env, dataDir), token: tokenOf(env, dataDir) }
}

/** The address of the service, for what needs no token of the operator. */
export const serviceUrl = (env: NodeJS.ProcessEnv): URL => urlOf(env, resolve(env.DATA_DIR || './data'))

/** The error for a server that does not respond. */
export function notRunning(server: Server): CommandError {
  return new CommandError('not_running', `No service is running at ${server.url.origin}: ${HOW_TO_START}`)
}

function urlOf(env: NodeJS.ProcessEnv, dataDir: string): URL {
  const given = env.PERENNIAL_URL || readServerFile(dataDir)?.url
  if (!given) {
    throw new CommandError(
      'not_running',
      `No service is running from ${dataDir}: ${HOW_TO_START}, or set DATA_DIR, or PERENNIAL_URL and PERENNIAL_TOKEN`
    )
  }
  const url = URL.parse(given)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw badUsage(`PERENNIAL_URL must be the address of the service such as http://127.0.0.1:3000, not ${given}`)
  }
  return url
}

function tokenOf(env: NodeJS.ProcessEnv, dataDir: string): string {
  if (env.PERENNIAL_TOKEN) return env.PERENNIAL_TOKEN
  const file = join(dataDir, OPERATOR_TOKEN_FILE)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (err) {
    const reason = (err as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read'
    throw new CommandError('authentication_failed', `PERENNIAL_TOKEN is not set and ${file} ${reason}`)
  }
}
