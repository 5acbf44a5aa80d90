import type { FastifyInstance } from 'fastify'
import { Agent } from 'undici'
import type { Engine } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { adminSchema } from './admin/index.ts'
import type { ChargeFaults } from './billing/charge-faults.ts'
import { resultFileRoute } from './bulk/result-file.ts'
import { stagedUploadRoute } from './bulk/staged-upload-route.ts'
import { type AdminControls, adminControls, type SandboxUrls } from './controls/admin-controls.ts'
import { type Controls, makeControls } from './controls/index.ts'
import { sandboxEngine } from './engine.ts'
import { makeApp, type Platform } from './http.ts'
import { createMailbox, type Mailbox } from './mail/receive-mail.ts'
import { oauthRoutes } from './oauth/admin-pages.ts'
import { NO_APP, type SandboxApp } from './oauth/app.ts'
import { reportingQueued } from './report-queued.ts'
import { metafieldRoutes } from './rest/metafields.ts'
import { Shops } from './shop.ts'
import { proxyRoutes } from './storefront/proxy-routes.ts'
import { storefrontRoutes } from './storefront/routes.ts'

export type Sandbox = {
  /** Serves all shops; the caller listens and closes. */
  app: FastifyInstance
  /** Actions of people on the platform, for the storefront page and tests. */
  controls: Controls
  /** The same controls for the service's admin API. */
  adminControls(urls: SandboxUrls): AdminControls
  /** The work that becomes due as time passes. */
  engine: Engine
  /** Where mail to customers of its shops goes. */
  mail: Mailbox
  close(): Promise<void>
}

/**
 * Creates a commerce platform on this machine. `clock` returns a shop's time by its domain; calendars, charge results and webhook
 * retries follow it. Throttling and time-outs follow real time.
 */
export function createSandbox(options: {
  db: Database
  clock: (shopDomain: string) => Promise<Temporal.Instant>
  log?: (message: string, fields: Record<string, unknown>) => void
  /** Called after a commit that queued messages for this store, which is work for the engine. */
  onQueued?: (storeId: number) => void
  /** The faults of charges in shops that are created without their own; none when left out. */
  newShopFaults?: ChargeFaults
  /** The scopes that the app requests, and has in every shop that was created without a list of its own. */
  requestedScopes: readonly string[]
  /** The app that its shops can install; none can when left out. */
  app?: SandboxApp
}): Sandbox {
  const shops = new Shops(options.db, options.requestedScopes)
  const agent = new Agent({ connections: 32, keepAliveTimeout: 30_000 })
  const db = reportingQueued(options.db, options.onQueued ?? (() => {}))
  const { clock, log = () => {}, newShopFaults = null } = options
  const platform: Platform = { db, shops, clock, log, newShopFaults }
  const controls = makeControls(platform)
  const schema = adminSchema()
  const app = makeApp(platform, schema, [
    metafieldRoutes(platform),
    resultFileRoute(db, platform.clock),
    stagedUploadRoute(db, platform.clock),
    proxyRoutes(platform, agent),
    oauthRoutes(platform, options.app ?? NO_APP),
    storefrontRoutes(platform, controls, agent)
  ])
  return {
    app,
    controls,
    adminControls: (urls) => adminControls(platform, controls, urls),
    engine: sandboxEngine(options.db, shops, agent, schema, options.clock),
    mail: createMailbox(platform),
    close: async () => {
      await app.close()
      await agent.close()
    }
  }
}
