export type Setting = { name: string; accepts: string; default: string; meaning: string }

/** Everything that the environment can set; `perennial settings` and docs/settings.md are made from it. */
export const SETTINGS = [
  {
    name: 'PERENNIAL_ROLE',
    accepts: 'all, web or worker',
    default: 'all',
    meaning:
      'What this node does: web serves HTTP, worker runs billing, webhooks and all other background work, all does both. `serve --role` sets it too.'
  },
  {
    name: 'PORT',
    accepts: 'a port, 0 to 65535',
    default: '3000',
    meaning: 'Where the service listens; 0 takes a free one.'
  },
  {
    name: 'HOST',
    accepts: 'an address or host name of this machine',
    default: '127.0.0.1',
    meaning: 'Which network the service and the sandbox listen on; 0.0.0.0 for every one.'
  },
  {
    name: 'PUBLIC_URL',
    accepts: 'an http or https address without a path',
    default: 'http://HOST:PORT',
    meaning: 'Where the platform and other machines reach the service.'
  },
  {
    name: 'SANDBOX',
    accepts: 'on or off',
    default: 'on',
    meaning: 'Whether the sandbox platform runs in the service. Turn it off in production.'
  },
  {
    name: 'SANDBOX_PORT',
    accepts: 'a port, 0 to 65535',
    default: 'PORT + 1',
    meaning: 'Where the sandbox platform listens.'
  },
  {
    name: 'DEMO',
    accepts: 'on or off',
    default: 'on',
    meaning: 'Whether the first start makes a sandbox store with a year of life in it.'
  },
  {
    name: 'DATA_DIR',
    accepts: 'a directory',
    default: './data',
    meaning: 'Holds the embedded database, the master key and the operator token.'
  },
  {
    name: 'DATABASE_URL',
    accepts: 'a postgres:// address',
    default: 'the embedded PostgreSQL in DATA_DIR',
    meaning: 'A PostgreSQL 15 or later to use.'
  },
  {
    name: 'DATABASE_POOL',
    accepts: 'a whole number, 1 to 200',
    default: '8',
    meaning: 'How many transactions of stores run at once; beside them the service opens about ten connections.'
  },
  {
    name: 'PERENNIAL_MASTER_KEY',
    accepts: '32 bytes in base64',
    default: 'DATA_DIR/master.key, made once',
    meaning: 'Encrypts secrets at rest. Keep a copy: without it they are lost. Nodes of one database share it.'
  },
  {
    name: 'PERENNIAL_TOKEN',
    accepts: 'at least 8 characters without spaces',
    default: 'DATA_DIR/operator.token, made once',
    meaning: 'Opens the admin API; commands send it.'
  },
  {
    name: 'PERENNIAL_URL',
    accepts: 'an http or https address',
    default: 'what DATA_DIR/server.json says',
    meaning: 'For commands: the service that they talk to.'
  },
  {
    name: 'LOG_LEVEL',
    accepts: 'trace, debug, info, warn, error, fatal or silent',
    default: 'info',
    meaning: 'The least serious log lines that are written.'
  },
  {
    name: 'LOG_FORMAT',
    accepts: 'pretty or json',
    default: 'pretty on a terminal, else json',
    meaning: 'How log lines look; they go to standard error.'
  },
  {
    name: 'TRUSTED_PROXIES',
    accepts: 'addresses and networks, separated by commas',
    default: 'none',
    meaning: 'Proxies before the service that are believed when they tell the address of a caller.'
  },
  {
    name: 'WEBHOOK_MAX_TRIES',
    accepts: 'a whole number, 1 to 20',
    default: '6',
    meaning:
      'How often a webhook is tried: at once, then after 1 min, 5 min, 30 min, 2 h, 12 h, and 24 h from there on.'
  },
  {
    name: 'WEBHOOK_HISTORY_DAYS',
    accepts: 'a whole number, 1 to 3650',
    default: '30',
    meaning: 'For how many days the history of webhook deliveries is kept. What is still to be sent stays.'
  },
  {
    name: 'WEBHOOK_ALLOWED_ADDRESSES',
    accepts: 'networks such as 10.20.0.0/16, separated by commas',
    default: 'none',
    meaning: 'Private networks in which webhook receivers may stand.'
  }
] as const satisfies readonly Setting[]

export type SettingName = (typeof SETTINGS)[number]['name']

/** A setting that the service cannot start with. The message names it and says what it takes, never what it held. */
export class SettingProblem extends Error {
  /** EX_CONFIG of sysexits.h. */
  readonly exitCode = 78
}
