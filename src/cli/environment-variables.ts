export const OPERATOR_TOKEN_FORM = 'at least 32 characters without spaces'

export type EnvironmentVariable = { name: string; accepts: string; default: string; meaning: string }

/** Every environment variable of the service; `perennial settings` and docs/settings.md are generated from this list. */
export const ENVIRONMENT_VARIABLES = [
  {
    name: 'PERENNIAL_ROLE',
    accepts: 'all, web or worker',
    default: 'all',
    meaning:
      'What this node does: web serves HTTP, worker runs billing, webhooks and all other background work, all does both. `serve --role` sets it too.'
  },
  {
    name: 'PORT',
    accepts: 'a port from 0 to 65535',
    default: '3000',
    meaning: 'The port of the service; 0 chooses a free one.'
  },
  {
    name: 'HOST',
    accepts: 'an address or host name of this machine',
    default: '127.0.0.1',
    meaning: 'The address that the service and the sandbox listen on; 0.0.0.0 for every network.'
  },
  {
    name: 'PUBLIC_URL',
    accepts: 'an http or https address without a path',
    default: 'http://HOST:PORT',
    meaning: 'The address at which the platform and other machines reach the service.'
  },
  {
    name: 'PLATFORM_CLIENT_ID',
    accepts: 'the client id of your app',
    default: 'none',
    meaning:
      'Your app on Shopify, from its Dev Dashboard. With it and PLATFORM_CLIENT_SECRET shops install the app themselves, and their access tokens are refreshed. See docs/connect-a-store.md.'
  },
  {
    name: 'PLATFORM_CLIENT_SECRET',
    accepts: 'the client secret of your app: 8 to 500 printable characters',
    default: 'none',
    meaning: 'Proves to Shopify that it is your app that asks for a token, and checks what Shopify signs.'
  },
  {
    name: 'PLATFORM_ALL_ORDERS',
    accepts: 'on or off',
    default: 'off',
    meaning:
      'Whether Shopify has approved your app for orders older than 60 days: it then asks shops for the scope read_all_orders too.'
  },
  {
    name: 'SANDBOX',
    accepts: 'on or off',
    default: 'on',
    meaning:
      'Whether the sandbox platform runs in the service, and webhooks of sandbox stores may go to this machine. Turn it off in production. A worker opens no sandbox port, but needs it on to send webhooks to 127.0.0.1.'
  },
  {
    name: 'SANDBOX_PORT',
    accepts: 'a port from 0 to 65535',
    default: 'PORT + 1',
    meaning: 'The port of the sandbox platform.'
  },
  {
    name: 'DEMO',
    accepts: 'on or off',
    default: 'on',
    meaning: 'Whether the first start creates a sandbox store with a past of one year.'
  },
  {
    name: 'DATA_DIR',
    accepts: 'a directory',
    default: './data',
    meaning: 'Holds the embedded database, the master key and the operator token.'
  },
  {
    name: 'PERENNIAL_USER',
    accepts: 'the name or number of an unprivileged user of this system',
    default: 'the owner of DATA_DIR, or else perennial, postgres or nobody',
    meaning: 'As whom the service continues when root starts it. Other users cannot choose.'
  },
  {
    name: 'DATABASE_URL',
    accepts: 'a postgres:// address',
    default: 'the embedded PostgreSQL in DATA_DIR',
    meaning: 'A PostgreSQL 15 or later to use.'
  },
  {
    name: 'DATABASE_POOL',
    accepts: 'a whole number from 1 to 200',
    default: '8',
    meaning: 'How many store transactions run at once. The service opens about ten more connections.'
  },
  {
    name: 'PERENNIAL_STOP_SECONDS',
    accepts: 'a whole number from 1 to 3600',
    default: '25',
    meaning:
      'How long a stop may take before the process ends anyway, with exit code 75. Set it below the time after which your supervisor kills the process.'
  },
  {
    name: 'PLATFORM_TIMEOUT_SECONDS',
    accepts: 'a whole number from 1 to 60',
    default: '30',
    meaning:
      'How long a call of the platform may take. What a process that died was charging is looked for there after twice that time.'
  },
  {
    name: 'PERENNIAL_MASTER_KEY',
    accepts: '32 bytes in base64',
    default: 'DATA_DIR/master.key, created once',
    meaning:
      'Encrypts secrets at rest. Keep a copy: without it they are lost. All nodes of a database use the same key.'
  },
  {
    name: 'PERENNIAL_TOKEN',
    accepts: OPERATOR_TOKEN_FORM,
    default: 'DATA_DIR/operator.token, created once',
    meaning: 'The token of the admin API; commands send it.'
  },
  {
    name: 'PERENNIAL_URL',
    accepts: 'an http or https address',
    default: 'the address in DATA_DIR/server.json',
    meaning: 'For commands: the address of the service.'
  },
  {
    name: 'LOG_LEVEL',
    accepts: 'trace, debug, info, warn, error, fatal or silent',
    default: 'info',
    meaning: 'The lowest level that is logged.'
  },
  {
    name: 'LOG_FORMAT',
    accepts: 'pretty or json',
    default: 'pretty on a terminal, else json',
    meaning: 'The format of log lines, which go to standard error.'
  },
  {
    name: 'TRUSTED_PROXIES',
    accepts: 'addresses and networks, separated by commas',
    default: 'none',
    meaning: 'Proxies in front of the service whose X-Forwarded-For is trusted for the address of a caller.'
  },
  {
    name: 'SMTP_URL',
    accepts:
      'an address smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host where it needs them',
    default: 'none',
    meaning:
      'Your mail server, which sends codes to customers (svc_otp, softlogin). A password is sent only over TLS: smtps, or STARTTLS with smtp. Customers of sandbox stores get no mail: the sandbox shows it.'
  },
  {
    name: 'MAIL_FROM',
    accepts: 'an e-mail address',
    default: 'none',
    meaning: 'The address that mails are sent from. The name beside it is that of the shop.'
  },
  {
    name: 'WEBHOOK_MAX_TRIES',
    accepts: 'a whole number from 1 to 20',
    default: '6',
    meaning: 'How often a webhook is tried: at once, then after 1 min, 5 min, 30 min, 2 h, 12 h, and then every 24 h.'
  },
  {
    name: 'WEBHOOK_HISTORY_DAYS',
    accepts: 'a whole number from 1 to 3650',
    default: '30',
    meaning: 'How many days of webhook history are kept. Unsent deliveries stay.'
  },
  {
    name: 'WEBHOOK_ALLOWED_ADDRESSES',
    accepts: 'networks such as 10.20.0.0/16, separated by commas',
    default: 'none',
    meaning: 'Private networks in which webhook receivers are allowed.'
  }
] as const satisfies readonly EnvironmentVariable[]

export type EnvironmentVariableName = (typeof ENVIRONMENT_VARIABLES)[number]['name']

/** A value with which the service cannot start. The message names the variable and the accepted values, never the given value. */
export class EnvironmentProblem extends Error {
  /** EX_CONFIG of sysexits.h. */
  readonly exitCode = 78
}
