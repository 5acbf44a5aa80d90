import type { FastifyBaseLogger } from 'fastify'
import { countQueues, createStatus, DATABASE_FAILURE, diagnose, engineFailure } from '#audit'
import { queueDepth } from '#audit/metrics'
import { engineFailures, engineItems, engineRuns } from '#kit/engine-metrics'
import { createRunner, createWorkSignals, type Runner, startNode, startNodeClock, throwFirst } from '#kit/engines'
import { createFailureLog } from '#kit/failure-log'
import type { SmtpServer } from '#kit/mail'
import { registerConsumers, removeConsumers, startConsumersInStores, withRequestId } from '#kit/outbox'
import { createDatabaseState, type Database, isOutage, UnknownStore } from '#kit/postgres'
import { clockOffset } from '#kit/process-metrics'
import { runPeriodically } from '#kit/run-periodically'
import type { Secret, Vault } from '#kit/secrets'
import type { ReceiptFiles } from '#loyalty'
import { callTimes, createConnectors, type PlatformApps, requestedScopes } from '#platform'
import { advanceClock, createStoreDeletions, mayChangePlatform, storeByDomain, storeNow, storeStatuses } from '#stores'
import { createConnections, createFreshTokens, PLATFORM_TOPICS, recordTokenAnswers, reportWithheld } from '#sync'
import type { WalletUrls } from '#wallet'
import { createDeliveryEngine, RETRY_SCHEDULE, type WebhookSettings } from '#webhooks'
import { type ChargeFaults, createSandbox } from '../../sandbox/index.ts'
import { seedStore } from '../demo/seed-store.ts'
import { INBOUND_WEBHOOKS_PATH } from '../http/inbound/inbound-webhooks.ts'
import { createRateLimiter } from '../http/rate-limits/rate-limiter.ts'
import { readiness } from '../http/server/readiness.ts'
import { buildHttp } from '../http/server/server.ts'
import type { HttpDeps } from '../http/shared/deps.ts'
import type { Role } from './config.ts'
import { consumers, removedConsumers } from './consumers.ts'
import { createEngines } from './engines.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createMailer } from './mail.ts'
import type { Metrics } from './metrics.ts'
import * as settingsSections from './settings-sections.ts'

/** How long a stop waits for calls of platforms that are under way, before it ends them. */
const CALL_GRACE_MS = 5_000

export type ServiceOptions = {
  /** `all` when left out. */
  role?: Role | 'platform'
  db: Database
  /** The sandbox's own connections: its statements do not count as the service's. */
  sandboxDb: Database
  vault: Vault
  operatorToken: Secret
  logger: FastifyBaseLogger
  metrics: Omit<Metrics, 'close'>
  addresses: WebhookSettings['addresses']
  /** POSTs per delivery; the six of the spec when left out. */
  webhookTries?: number
  /** How long a try of a platform's call may take; 30 s when left out. */
  platformTimeoutMs?: number
  /** Days of webhook history; 30 when left out. */
  webhookHistoryDays?: number
  /** The addresses of the service and of the sandbox. Read at each use, because ports may be chosen late. */
  urls: { public: string; sandbox: string }
  /** Our app on each platform. */
  apps: PlatformApps
  /** Whether shops are asked for orders older than 60 days; false when left out. */
  allOrders?: boolean
  /** The operator's mail server; left out: mail goes to customers of sandbox shops only. */
  smtp?: SmtpServer | null
  trustedProxies?: string[]
  /** What this machine's clock says, in epoch milliseconds; its real time when left out. */
  nodeNowMs?: () => number
  /** How often the runner asks all stores for due work; five seconds when left out. */
  pollMs?: number
  /** The faults of charges in sandbox shops that are created; none when left out. */
  sandboxFaults?: ChargeFaults
  /** Where wallets of phones are notified; at Apple and Google when left out. */
  walletUrls?: WalletUrls
  receiptFiles: ReceiptFiles
}
export type Service = Awaited<ReturnType<typeof createService>>

/** Puts the parts together: the HTTP surfaces, the sandbox platform, and the engines that run in the background. */
export async function createService(options: ServiceOptions) {
  const { db, vault, logger, metrics, urls, receiptFiles } = options
  const role = options.role ?? 'all'
  await registerConsumers(db, consumers)
  // A web node runs no engines: it reports the work that it makes, and the other nodes listen.
  const signals = createWorkSignals(db)
  let listening: Pick<Runner, 'wake' | 'wakeAll'> | undefined
  const onWork = {
    found(storeIds: number[]) {
      for (const storeId of storeIds) listening?.wake(storeId)
    },
    missed: () => listening?.wakeAll()
  }
  // Requests are answered soon, whatever the database does; the auditor and the housekeeping may take long.
  const forRequests = db.forWork('request')
  const forMaintenance = db.forWork('maintenance')
  const clock = await startNodeClock(db, { warn: (message) => logger.warn(message), nodeNowMs: options.nodeNowMs })
  metrics.watch(clockOffset, () => clock.offsetMs() / 1_000)
  const node = await startNode(db, role === 'web' ? undefined : onWork)
  const databaseState = createDatabaseState(db, node.id)
  const failures = createFailureLog(logger, (err) =>
    isOutage(err) ? { key: DATABASE_FAILURE, what: 'The database' } : null
  )
  const onConnectionChange = (storeId: number, message: string) => {
    logger.warn({ store: { id: storeId } }, message)
    runner.wake(storeId)
  }
  const tokens = recordTokenAnswers({ db, onConnectionChange })
  const connectors = createConnectors({
    ...callTimes(options.platformTimeoutMs),
    measure: metrics.measure,
    nodes: node.nodes,
    mayChange: (storeId) => mayChangePlatform(db, vault, storeId),
    async onWithheld(storeId, field) {
      logger.warn({ store: { id: storeId }, field }, 'The platform withholds a field from us')
      await reportWithheld(db, storeId, field)
    },
    ...tokens,
    renewToken: (storeId, refused) => freshTokens.renew(storeId, refused)
  })
  const freshTokens = createFreshTokens({
    db: forRequests,
    vault,
    apps: options.apps,
    onTokenTaken: tokens.onTokenTaken,
    log: (storeId, message) => logger.warn({ store: { id: storeId } }, message)
  })
  const connections = createConnections({
    db: forRequests,
    vault,
    accessOf: freshTokens.accessOf,
    connectors,
    webhooks: () => ({ url: `${urls.public}${INBOUND_WEBHOOKS_PATH}`, topics: Object.keys(PLATFORM_TOPICS) }),
    onTokenTaken: tokens.onTokenTaken,
    onConnectionChange
  })
  const sandbox = createSandbox({
    db: options.sandboxDb,
    clock: async (domain) => {
      const store = await storeByDomain(db, vault, domain)
      // A shop that has not installed the app has real time.
      return store ? storeNow(options.sandboxDb, store.storeId) : clock.now()
    },
    log: (message, fields) => logger.error(fields, message),
    onQueued: (storeId) => runner.wake(storeId),
    newShopFaults: options.sandboxFaults,
    requestedScopes,
    app: options.apps.platform ? { ...options.apps.platform, url: () => urls.public } : undefined
  })
  const mailer = createMailer(sandbox, options.smtp ?? null)
  const delivery = createDeliveryEngine({
    db,
    leaseOwner: node.id,
    vault,
    addresses: options.addresses,
    schedule: { ...RETRY_SCHEDULE, maxTries: options.webhookTries ?? RETRY_SCHEDULE.maxTries },
    maySign: clock.isRight,
    measure: metrics.measure
  })
  const all = createEngines({
    db,
    vault,
    addresses: options.addresses,
    leaseOwner: node.id,
    connectorOf: connections.connectorOf,
    canMail: mailer.canMail,
    sendMail: mailer.send,
    maxCallMs: connectors.maxCallMs,
    checkUninstalled: connections.checkUninstalled,
    checkConnection: connections.check,
    walletUrls: options.walletUrls,
    receiptFiles,
    measure: metrics.measure,
    onFactFailure: (failure, message) => logger.error(failure, message),
    sandbox: sandbox.engine,
    delivery
  })
  const engines = role === 'platform' ? [sandbox.engine] : all
  // Engines may share one.
  const releases = [...new Set(engines.flatMap(({ releaseLeases }) => releaseLeases ?? []))]
  const runner = createRunner({
    db,
    engines,
    holds: node.holds,
    pollMs: options.pollMs,
    statuses: (storeIds) => storeStatuses(db, storeIds),
    freeLeases: () => node.releaseDeadLeases(releases),
    announce: role === 'web' ? signals.send : undefined,
    onError: (err, engine, storeId) => {
      // The store was deleted while the engine was on its way there.
      if (err instanceof UnknownStore) return
      metrics.measure(engineFailures, 1, { engine })
      failures.failed(engineFailure(engine, storeId), err, `Engine ${engine}`, { engine, store: { id: storeId } })
    },
    onRun(engine, done, storeId) {
      failures.worked(engineFailure(engine, storeId))
      metrics.measure(engineRuns, 1, { engine })
      if (done > 0) metrics.measure(engineItems, done, { engine })
    }
  })
  const { status, checkProcess, look } = createStatus({
    db: forRequests,
    engines,
    failures,
    databaseTrouble: databaseState.trouble,
    clockProblem: () => (clock.isRight() ? null : clock.problem()),
    log: logger
  })
  metrics.watch(queueDepth, () => countQueues(db))
  const limiter = createRateLimiter(db)
  const controls = sandbox.adminControls(urls)
  // All that is due is done there, whoever asked for it before.
  const moveClock: HttpDeps['advanceClock'] = (storeId, advance) =>
    withRequestId(null, () => advanceClock({ db, runner }, storeId, advance))
  const deletions = createStoreDeletions({
    db,
    holds: node.holds,
    nodes: node.nodes,
    leave: connections.leave,
    deleteShop: sandbox.controls.deleteShop,
    deleteFiles: receiptFiles.removeStore,
    log: (message, fields) => logger.info(fields, message),
    warn: (err, message) => logger.warn({ err }, message)
  })

  const { connectorOf } = connections
  const audited = { db: forMaintenance, chargesOf: sandbox.controls.charges, connectorOf, clockProblem: clock.problem }
  const deps: HttpDeps = {
    db: forRequests,
    vault,
    limiter,
    logger,
    operatorToken: options.operatorToken,
    settings: Object.values(settingsSections),
    addresses: options.addresses,
    trustedProxies: options.trustedProxies,
    health: { ready: () => readiness(databaseState, clock), metrics: metrics.handler },
    realNow: clock.now,
    maySign: clock.isRight,
    measure: metrics.measure,
    wake: runner.wake,
    canMail: mailer.canMail,
    walletUrls: options.walletUrls,
    receiptFiles,
    connectorOf,
    connectStore: connections.connect,
    install: {
      apps: options.apps,
      allOrders: options.allOrders ?? false,
      publicUrl: () => urls.public,
      connectors,
      checkConnection: connections.check,
      lookAtWebhooks: connections.lookAtWebhooks
    },
    leavePlatform: connections.leave,
    deleteStore: deletions.delete,
    advanceClock: moveClock,
    settle: (storeId) => withRequestId(null, () => runner.alone(storeId, (store) => store.settle())),
    sandbox: controls,
    doctor: (storeId) => diagnose(audited, storeId === null ? undefined : `store_${storeId}`),
    status,
    seed: (storeId, plan, onProgress) =>
      seedStore({ db, sandbox: controls, advanceClock: moveClock }, storeId, plan, (progress) =>
        onProgress({ ...progress, at: progress.at.toString() })
      )
  }
  const http = buildHttp(deps, { healthOnly: role === 'worker' })

  const housekeeping = createHousekeeping({
    db: forMaintenance,
    node,
    releases,
    limiter,
    resumeDeletions: deletions.resume,
    historyDays: options.webhookHistoryDays ?? 30,
    failures,
    lookForProblems: look
  })
  let checking: { stop(): Promise<void> } | undefined

  return {
    http,
    engines,
    deps,
    sandbox,
    clock,
    async start() {
      await housekeeping.prepare()
      checking = runPeriodically(CHECK_EVERY_MS, checkProcess)
      if (role === 'web') return
      await removeConsumers(db, removedConsumers, consumers)
      await startConsumersInStores(db, consumers)
      runner.start()
      listening = runner
      housekeeping.start()
      const moved = 'Addresses of webhooks on the platforms'
      connections.checkMoved().then(
        () => failures.worked(moved),
        (err) => failures.failed(moved, err, moved)
      )
    },
    /** Accepts no more requests, waits for what is running, and releases leases. */
    async stop() {
      const parts = [
        checking?.stop(),
        housekeeping.stop(),
        deletions.stop(),
        runner.stop(),
        http.close(),
        delivery.stop()
      ]
      // A call that hangs would hold up the stop. What was sent is asked for again after the next start.
      const patience = setInterval(connectors.cutOff, CALL_GRACE_MS)
      // What still runs writes to the database, which the caller closes next: a failure of one must not cut off the others.
      const ends = await Promise.allSettled(parts)
      clearInterval(patience)
      connectors.cutOff()
      await freshTokens.stop()
      await signals.stop()
      await sandbox.close()
      await clock.stop()
      await databaseState.stop()
      await node.stop()
      throwFirst(ends)
    }
  }
}

/** How soon the log says that the database is gone, or back, while nothing else asks it, or that work hangs. */
const CHECK_EVERY_MS = 10_000
