import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { LOG_FORMATS, LOG_LEVELS, type LogOptions } from '#kit/logger'
import type { SmtpServer } from '#kit/mail'
import {
  asGiven,
  isAddressOrNetwork,
  isNetwork,
  listOf,
  oneOfWords,
  onOrOff,
  origin,
  postgresUrl,
  type ServiceUser,
  serviceUserFor,
  wholeNumberText
} from '#kit/process'
import { concealed, Secret } from '#kit/secrets'
import type { PlatformApp, PlatformApps } from '#platform'
import {
  ENVIRONMENT_VARIABLES,
  EnvironmentProblem,
  type EnvironmentVariableName
} from '../cli/environment-variables.ts'
import { masterKeyIn, operatorTokenIn, parseMasterKey, parseOperatorToken } from './installation-secrets.ts'

const ROLES = ['all', 'web', 'worker'] as const

/** What a node does: serve HTTP (web), run engines and housekeeping (worker), or both. */
export type Role = (typeof ROLES)[number]

export type Config = {
  role: Role
  host: string
  port: number
  /** Null: http://HOST:PORT, with the port that the service got. */
  publicUrl: string | null
  sandbox: { port: number } | null
  /** Our app on each platform; null where none is configured, or the sandbox is off. */
  apps: PlatformApps
  /** Whether the platform lets our app ask for orders older than 60 days. */
  allOrders: boolean
  demo: boolean
  dataDir: string
  /** As whom the service continues; null: as who has started it. */
  user: ServiceUser | null
  /** Null: the embedded PostgreSQL. */
  databaseUrl: string | null
  databasePool: number
  /** How long a stop may take before the process ends anyway. */
  stopSeconds: number
  /** How long a try of a platform's call may take. */
  platformTimeoutSeconds: number
  masterKey: Buffer
  operatorToken: Secret
  log: LogOptions
  trustedProxies: string[]
  /** The operator's mail server; null for none. */
  smtp: SmtpServer | null
  webhooks: { maxTries: number; historyDays: number; allowedNetworks: string[] }
  /** One line each, to log once there is a logger. */
  warnings: string[]
}

/**
 * Reads the settings from the environment. A master key or operator token that is not set comes from DATA_DIR, where it is created
 * the first time. Throws EnvironmentProblem on the first invalid setting. The returned object hides its secrets when it is printed.
 */
export function loadConfig(env: NodeJS.ProcessEnv, isTerminal = process.stderr.isTTY): Config {
  const setting = <T>(name: EnvironmentVariableName, fallback: T, read: (given: string) => T | undefined): T => {
    const given = env[name]?.trim()
    if (!given) return fallback
    const value = read(given)
    if (value === undefined) throw new EnvironmentProblem(`${name} must be ${acceptedBy(name)}`)
    return value
  }

  const role = setting<Role>('PERENNIAL_ROLE', 'all', oneOfWords(ROLES))
  const port = setting('PORT', 3000, wholeNumberText(0, 65_535))
  const sandboxPort = setting('SANDBOX_PORT', port === 0 ? 0 : port + 1, wholeNumberText(0, 65_535))
  const sandbox = setting('SANDBOX', true, onOrOff)
  if (sandbox && port !== 0 && sandboxPort === port) {
    throw new EnvironmentProblem(`SANDBOX_PORT must differ from PORT, which is ${port}`)
  }
  if (sandbox && sandboxPort > 65_535) throw new EnvironmentProblem('SANDBOX_PORT is required when PORT is 65535')
  const dataDir = resolve(setting('DATA_DIR', './data', asGiven))

  const publicUrl = setting('PUBLIC_URL', null, origin)
  // It registers our webhooks on the platform, and their address must not be its own.
  if (role === 'worker' && publicUrl === null) {
    throw new EnvironmentProblem(
      'PUBLIC_URL is needed with PERENNIAL_ROLE=worker: the address of the nodes that serve HTTP'
    )
  }

  const clientId = setting('PLATFORM_CLIENT_ID', null, printable)
  const clientSecret = setting('PLATFORM_CLIENT_SECRET', null, printable)
  if ((clientId === null) !== (clientSecret === null)) {
    throw new EnvironmentProblem('PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET are needed both, or neither')
  }

  const smtpUrl = setting('SMTP_URL', null, smtpAddress)
  const mailFrom = setting('MAIL_FROM', null, mailAddress)
  if ((smtpUrl === null) !== (mailFrom === null)) {
    throw new EnvironmentProblem('SMTP_URL and MAIL_FROM are needed both, or neither')
  }

  const masterKey = setting('PERENNIAL_MASTER_KEY', null, parseMasterKey)
  const operatorToken = setting('PERENNIAL_TOKEN', null, parseOperatorToken)

  const host = setting('HOST', '127.0.0.1', (given) => (/^[0-9A-Za-z._:-]+$/.test(given) ? given : undefined))

  const config: Config = {
    role,
    host,
    port,
    publicUrl,
    sandbox: sandbox ? { port: sandboxPort } : null,
    apps: { platform: null, shopify: clientId && clientSecret ? { clientId, clientSecret } : null },
    allOrders: setting('PLATFORM_ALL_ORDERS', false, onOrOff),
    demo: setting('DEMO', true, onOrOff),
    dataDir,
    databaseUrl: setting('DATABASE_URL', null, postgresUrl),
    databasePool: setting('DATABASE_POOL', 8, wholeNumberText(1, 200)),
    stopSeconds: setting('PERENNIAL_STOP_SECONDS', 25, wholeNumberText(1, 3600)),
    platformTimeoutSeconds: setting('PLATFORM_TIMEOUT_SECONDS', 30, wholeNumberText(1, 60)),
    log: {
      level: setting('LOG_LEVEL', 'info', oneOfWords(LOG_LEVELS)),
      format: setting('LOG_FORMAT', isTerminal ? 'pretty' : 'json', oneOfWords(LOG_FORMATS))
    },
    trustedProxies: setting('TRUSTED_PROXIES', [], listOf(isAddressOrNetwork)),
    smtp: smtpUrl && mailFrom ? { url: new Secret(smtpUrl), from: mailFrom } : null,
    webhooks: {
      maxTries: setting('WEBHOOK_MAX_TRIES', 6, wholeNumberText(1, 20)),
      historyDays: setting('WEBHOOK_HISTORY_DAYS', 30, wholeNumberText(1, 3650)),
      allowedNetworks: setting('WEBHOOK_ALLOWED_ADDRESSES', [], listOf(isNetwork))
    },
    warnings: [...unknownSettings(env), ...(sandbox ? openSandbox(host, sandboxPort) : [])],
    // Last, because they create files: a start that is refused for a setting leaves nothing behind.
    user: serviceUserFor(dataDir, setting('PERENNIAL_USER', null, asGiven)),
    masterKey: masterKey ?? masterKeyIn(dataDir),
    operatorToken: new Secret(operatorToken ?? operatorTokenIn(dataDir))
  }
  if (sandbox) config.apps.platform = sandboxApp(config.masterKey)
  return concealed(config, ['masterKey', 'databaseUrl', 'apps'])
}

/** The app on our own sandbox platform. All nodes of a database have the same, because they have the same master key. */
const sandboxApp = (masterKey: Buffer): PlatformApp => ({
  clientId: 'sandbox-app',
  clientSecret: createHmac('sha256', masterKey).update('the app on the sandbox platform').digest('hex')
})

const mailAddress = (given: string) => (/^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,255}$/.test(given) ? given : undefined)

const smtpAddress = (given: string) => {
  const url = URL.canParse(given) ? new URL(given) : null
  const isServer = url && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && url.pathname.length <= 1
  return isServer && url.search === '' && url.hash === '' ? given : undefined
}

const printable = (given: string) => (/^[\x21-\x7e]{8,500}$/.test(given) ? given : undefined)

/** The address at which this machine reaches a host and port that the service listens on. */
export function addressOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

function acceptedBy(name: EnvironmentVariableName): string {
  return ENVIRONMENT_VARIABLES.find((setting) => setting.name === name)!.accepts
}

/** The sandbox asks nobody for a password, and its shops' admin opens their stores in ours. */
const openSandbox = (host: string, port: number): string[] =>
  /^(127\.[0-9.]+|::1|localhost)$/.test(host)
    ? []
    : [
        `HOST ${host} opens the sandbox (port ${port}) to others: whoever reaches it has its shops, with their stores in the admin interface. Keep that port closed, or set SANDBOX=off`
      ]

/** Only variables with our prefix: the environment has many others. */
function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  const known = new Set<string>(ENVIRONMENT_VARIABLES.map(({ name }) => name))
  return Object.keys(env)
    .filter((name) => name.startsWith('PERENNIAL_') && !known.has(name))
    .map((name) => `${name} is not a setting; \`perennial settings\` lists them`)
}
