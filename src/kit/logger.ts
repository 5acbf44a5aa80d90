import { destination, type Logger, pino, stdTimeFunctions } from 'pino'
import { prettyLine } from './log-pretty-line.ts'

const HIDDEN = '[hidden]'

/** Whatever is logged under such a name is hidden, however deep it lies and however it is written. */
const SECRET_NAMES = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'key',
  'apikey',
  'masterkey',
  'idempotencykey',
  'signature',
  'secret',
  'appsecret',
  'proxysecret',
  'clientsecret',
  'token',
  'accesstoken',
  'operatortoken',
  'platformtoken',
  'xplatformaccesstoken',
  'xshopifyaccesstoken',
  'password',
  'email',
  'databaseurl'
])
const BOUND_SECRETS = [
  ...['authorization', 'cookie', 'key', 'apiKey', 'masterKey', 'signature', 'secret', 'appSecret', 'proxySecret'],
  ...['token', 'accessToken', 'operatorToken', 'password', 'email']
]
const MAX_DEPTH = 6

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export const LOG_FORMATS = ['pretty', 'json'] as const

export type LogOptions = { level: (typeof LOG_LEVELS)[number]; format: (typeof LOG_FORMATS)[number] }

export type Sink = { write(line: string): void }

/**
 * The service's log, on standard error: what people read at the start stays alone on standard output. Secrets and e-mail
 * addresses are hidden by the names of their fields; of an error only what describes it is kept.
 */
export function createLogger({ level, format }: LogOptions, sink: Sink = destination({ fd: 2, sync: true })): Logger {
  return pino(
    {
      level,
      // What a child logger is bound to goes past the formatters below.
      redact: { paths: BOUND_SECRETS, censor: HIDDEN },
      timestamp: stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        bindings: ({ pid, hostname: _, ...bound }) => ({ pid, ...hideSecrets(bound) }),
        log: (fields) => hideSecrets(fields)
      },
      serializers: { err: describeError, error: describeError }
    },
    format === 'json' ? sink : { write: (line: string) => sink.write(prettyLine(line)) }
  )
}

function hideSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return hidden(fields, 0) as Record<string, unknown>
}

function hidden(value: unknown, depth: number): unknown {
  if (value instanceof Error) return depth === 0 ? { err: value } : describeError(value)
  if (Array.isArray(value)) return depth >= MAX_DEPTH ? '[deep]' : value.map((entry) => hidden(entry, depth + 1))
  if (!isPlain(value)) return value
  if (depth >= MAX_DEPTH) return '[deep]'
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [name, isSecretName(name) ? HIDDEN : hidden(held, depth + 1)])
  )
}

/** Instances of classes bring a `toJSON` of their own where they have something to say. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const isSecretName = (name: string) => SECRET_NAMES.has(name.toLowerCase().replace(/[-_]/g, ''))

/** Without the fields that libraries hang on their errors: a database error's detail quotes the row. */
function describeError(err: unknown): unknown {
  if (!(err instanceof Error)) return isPlain(err) ? hideSecrets(err) : err
  const { name, message, stack, cause } = err
  const { code, constraint, table } = err as unknown as Record<string, unknown>
  return { type: name, message, code, constraint, table, stack, cause: cause && describeError(cause) }
}
