import { destination, type Logger, pino, stdTimeFunctions } from 'pino'
import { prettyLine } from './log-pretty-line.ts'

const HIDDEN = '[hidden]'

/** Fields with these names are hidden at any depth; case, `-` and `_` are ignored. */
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
 * The service's log, on standard error, so that standard output has only what a person reads at the start. Secrets and e-mail
 * addresses are hidden by field name; errors are logged with a fixed set of fields.
 */
export function createLogger({ level, format }: LogOptions, sink: Sink = destination({ fd: 2, sync: true })): Logger {
  return pino(
    {
      level,
      // The bindings of child loggers bypass the formatters below.
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
    Object.entries(value).map(([name, inner]) => [name, isSecretName(name) ? HIDDEN : hidden(inner, depth + 1)])
  )
}

/** A plain object. Instances of classes print by their own `toJSON`. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const isSecretName = (name: string) => SECRET_NAMES.has(name.toLowerCase().replace(/[-_]/g, ''))

/** Leaves out the other fields of library errors: a database error's `detail` contains values of the row. */
function describeError(err: unknown): unknown {
  if (!(err instanceof Error)) return isPlain(err) ? hideSecrets(err) : err
  const { name, message, stack, cause } = err
  const { code, constraint, table } = err as unknown as Record<string, unknown>
  return { type: name, message, code, constraint, table, stack, cause: cause && describeError(cause) }
}
