import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createLogger } from '#kit/logger'
import { Database, migrate, refuseSharedSessions, TIME_LIMITS, watchStandbys } from '#kit/postgres'
import { endAfter, leaveRoot, RootProblem, untilSignal } from '#kit/process'
import { openVault } from '#kit/secrets'
import { createDiskFiles } from '#loyalty'
import { isMasterKeyValid } from '#stores'
import { moveSandboxStores } from '#sync'
import { invitationUrl, inviteFirstOwner } from '#team'
import { watchForRestores } from '../backup/restored-database.ts'
import { EnvironmentProblem } from '../cli/environment-variables.ts'
import { readyTable } from '../cli/ready-table.ts'
import { removeServerFile, writeServerFile } from '../cli/server-file.ts'
import { createDemoStoreAloud, storeToShow } from '../demo/create-demo-store-aloud.ts'
import { type EmbeddedLog, type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/start.ts'
import { addressOf, type Config, loadConfig } from './config.ts'
import { createMetrics } from './metrics.ts'
import { MIGRATIONS } from './migrations.ts'
import { createService, type Service } from './service.ts'

/** The service cannot start. The message is one line with the reason; the process ends. */
class StartRefused extends Error {}

/** The embedded database has died and cannot be started again; the process ends. */
class DatabaseGone extends Error {
  /** EX_UNAVAILABLE of sysexits.h. */
  readonly exitCode = EXIT_DATABASE_GONE
}

const EXIT_DATABASE_GONE = 69
/** EX_TEMPFAIL. */
const EXIT_STOPPED_HARD = 75

/** How long the database may take for an answer once the service stops. */
const STOPPING_ANSWER_MS = 4_000

const WRONG_MASTER_KEY =
  'The master key does not open the secrets in this database. ' +
  'PERENNIAL_MASTER_KEY, or DATA_DIR/master.key, must be the key with which the database was created.'

/**
 * Runs the service until a signal ends it: database, migrations, both ports, the demo store at the first start, then the
 * background. A second signal ends the process at once and leaves the embedded database to shut down by itself.
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run(loadConfig(env))
  } catch (err) {
    const isKnown = err instanceof EnvironmentProblem || err instanceof RootProblem || err instanceof DatabaseGone
    if (!(isKnown || err instanceof StartRefused)) throw err
    process.stderr.write(`perennial: ${err.message}\n`)
    process.exitCode = isKnown ? err.exitCode : 1
  }
}

async function run(config: Config): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  const logger = createLogger(config.log)
  for (const warning of config.warnings) logger.warn(warning)
  await mkdir(config.dataDir, { recursive: true }).catch((err: Error) =>
    refuse(`DATA_DIR cannot be used: ${err.message}`)
  )
  let embedded: EmbeddedPostgres | null = null
  const stop = untilSignal(async () => embedded?.requestStop())
  const signalled = once(stop, 'abort')
  const limitStop = (exitCode: number) =>
    endAfter(config.stopSeconds, exitCode, async () => {
      logger.error(`Not stopped after ${config.stopSeconds} s: ending now; the next start goes on with the rest`)
      await embedded?.requestStop()
    })
  stop.addEventListener('abort', () => {
    logger.info(`${stop.reason}: finishing what is under way`)
    limitStop(EXIT_STOPPED_HARD)
  })
  if (config.databaseUrl === null) embedded = await startDatabase(config, (line, level = 'info') => logger[level](line))
  const gone = embedded?.gone.then((err) => {
    limitStop(EXIT_DATABASE_GONE)
    throw new DatabaseGone(
      `The embedded database has died and could not be started again: ${err.message}. What PostgreSQL itself says is in ${config.dataDir}/postgres.log`
    )
  })
  gone?.catch(() => {})
  const ended = Promise.race([signalled, ...(gone ? [gone] : [])])
  ended.catch(() => {})
  const databaseUrl = config.databaseUrl ?? embedded!.url
  const stack = new AsyncDisposableStack()
  stack.defer(() => embedded?.stop())
  try {
    if (stop.aborted) return
    const applied = await migrated(databaseUrl)
    for (const name of applied) logger.debug(`Migrated ${name}`)
    if (applied.length > 0) logger.info(`Migrated the database: ${applied.length} files`)
    if (stop.aborted) return
    const closing = (open: Database) => stack.adopt(open, () => open.close())
    const db = closing(new Database({ url: databaseUrl, poolSize: config.databasePool, masterKey: config.masterKey }))
    // The sandbox answers requests, of a shop's people or of our engines.
    const sandboxLimits = { ...TIME_LIMITS, background: TIME_LIMITS.request }
    const sandboxDb = closing(new Database({ url: databaseUrl, poolSize: 6, limits: sandboxLimits }))
    const shortenWaits = () => {
      for (const open of [db, sandboxDb]) open.shortenWaits(STOPPING_ANSWER_MS)
    }
    stop.addEventListener('abort', shortenWaits)
    gone?.catch(shortenWaits)
    const urls = { public: config.publicUrl ?? '', sandbox: '' }
    const vault = openVault(config.masterKey)
    // With a wrong key every call of the platform and every webhook of every store would fail.
    if (!(await isMasterKeyValid(db, vault))) refuse(WRONG_MASTER_KEY)
    stack.adopt(watchStandbys({ db, warn: (message) => logger.warn(message) }), (watch) => watch.stop())
    stack.adopt(
      await watchForRestores({
        db,
        url: databaseUrl,
        dataDir: config.dataDir,
        warn: (message) => logger.warn(message),
        fail: (err) => logger.warn({ err }, 'Whether the database was set back could not be asked')
      }),
      (watch) => watch.stop()
    )
    const metrics = stack.adopt(createMetrics(), (open) => open.close())
    const service = stack.adopt(
      await createService({
        role: config.role,
        db,
        sandboxDb,
        vault,
        operatorToken: config.operatorToken,
        logger,
        metrics,
        addresses: { loopback: config.sandbox !== null, allow: config.webhooks.allowedNetworks },
        webhookTries: config.webhooks.maxTries,
        webhookHistoryDays: config.webhooks.historyDays,
        platformTimeoutMs: config.platformTimeoutSeconds * 1_000,
        urls,
        apps: config.apps,
        allOrders: config.allOrders,
        smtp: config.smtp,
        receiptFiles: createDiskFiles(join(config.dataDir, 'receipts')),
        trustedProxies: config.trustedProxies
      }),
      (running) =>
        running.stop().catch((err: Error) => {
          logger.error({ err }, `Not everything was finished: ${err.message}; the next start goes on with it`)
          process.exitCode = EXIT_STOPPED_HARD
        })
    )
    if (stop.aborted) return
    const url = await listen(service.http, 'PORT', config.port, config.host)
    urls.public ||= url
    if (config.role === 'worker') {
      await leaveRootOf(config, databaseUrl, (line) => logger.info(line))
      await service.start()
      say(`\nPerennial is ready, as a worker.\n  Health       ${url}/readyz\n`)
    } else {
      if (config.sandbox)
        urls.sandbox = await listen(service.sandbox.app, 'SANDBOX_PORT', config.sandbox.port, config.host)
      await leaveRootOf(config, databaseUrl, (line) => logger.info(line))
      writeServerFile(config.dataDir, { url, pid: process.pid })
      stack.defer(() => removeServerFile(config.dataDir))
      if (config.sandbox) await moveSandboxStores(service.deps)
      await service.start()
      const demoKey = config.sandbox && config.demo ? createDemoStoreAloud(service.deps, say) : Promise.resolve(null)
      const key = await Promise.race([demoKey, ended.then(() => 'stopped' as const)])
      if (key === 'stopped') return
      const owner = await inviteFirstOwner(db)
      say(
        readyTable({
          api: url,
          sandbox: config.sandbox ? urls.sandbox : null,
          domain: await storeToShow(db),
          key,
          firstOwner: owner && invitationUrl(urls.public, owner)
        })
      )
    }
    await ended
  } finally {
    await stack.disposeAsync()
  }
}

/** Ports below 1024 are open by now, which is all that needed root. What only root could reach is noticed here, not hours later. */
async function leaveRootOf({ user, dataDir }: Config, databaseUrl: string, log: (line: string) => void): Promise<void> {
  if (!user) return
  leaveRoot(user, dataDir)
  const database = new Database({ url: databaseUrl, poolSize: 1 })
  try {
    await database.session().then((session) => session.end())
  } catch (err) {
    const reason = (err as Error).message
    refuse(
      `Root has started the service, which continues as user ${user.name}, and that user cannot reach the database (${reason}): ` +
        'name one who can in PERENNIAL_USER, or use an address in DATABASE_URL that every user can reach'
    )
  } finally {
    await database.close()
  }
  log(`Root has started the service: it continues as user ${user.name}`)
}

async function startDatabase(config: Config, log: EmbeddedLog): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir: config.dataDir, log, runAs: config.user ?? undefined }).catch((err: Error) =>
    refuse(err.message)
  )
}

async function migrated(url: string): Promise<string[]> {
  return refuseSharedSessions(url)
    .then(() => migrate(url, MIGRATIONS))
    .catch((err: Error) => refuse(`The database cannot be used: ${err.message}`))
}

function refuse(message: string): never {
  throw new StartRefused(message)
}

async function listen(app: Service['http'], setting: string, port: number, host: string): Promise<string> {
  try {
    await app.listen({ port, host })
    return addressOf(host, (app.server.address() as AddressInfo).port)
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new EnvironmentProblem(`HOST must be an address of this machine, or a name of one, which ${host} is not`)
    }
    const why =
      code === 'EADDRINUSE' ? 'it is in use by another program' : code === 'EACCES' ? 'it needs more rights' : message
    throw new StartRefused(`${setting} ${port} on HOST ${host} cannot be listened on: ${why}`)
  }
}
