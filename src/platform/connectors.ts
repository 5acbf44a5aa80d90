import type { Measure } from '#kit/metrics'
import { type Connector, createConnector } from './connector.ts'
import { countCalls } from './count-calls.ts'
import { CallWindow } from './wire/call-window.ts'
import { type ClientOptions, createClient, maxCallMsOf, type PlatformAccess, type StoreLimits } from './wire/client.ts'
import { CostBudget } from './wire/cost-budget.ts'
import { nameOfWithheld, type WithheldField } from './wire/withheld.ts'

/** How often stores are looked for that can be forgotten. */
const FORGET_EVERY_MS = 600_000

/** The connectors of one process. There is one set of them, because the calls of a store share its cost budget and its window. */
export type Connectors = {
  /**
   * The connector of a store. Cheap to ask for at each use: it is made anew only when the store's address or access token
   * has changed. The store's cost budget stays the same then, since it belongs to the shop and our app.
   */
  to(access: PlatformAccess): Connector
  /** One with credentials that are not stored yet: whether the platform takes them is not reported. */
  tryOut(access: PlatformAccess): Connector
  /**
   * Drops the connector of a store that is disconnected, and with it the access token in memory. Its cost budget is dropped
   * later, when its bucket is full: a store that is connected again soon continues with the points that it had.
   */
  forget(storeId: number): void
  /**
   * No call takes longer, with all its waits for the platform and its tries. A change waits besides for `mayChange`: where its end
   * matters it is told `endBy` (see `AttemptRequest`).
   */
  maxCallMs: number
  /** Ends every call that is under way, with an unknown outcome, and its connection. For a process that ends. */
  cutOff(): void
}

export type ConnectorOptions = Omit<ClientOptions, 'onWithheld' | 'onToken'> & {
  measure?: Measure
  /**
   * Reports that the platform withholds something from us, once for each store and field; again if the report fails.
   */
  onWithheld?: (storeId: number, field: { name: string; message: string }) => Promise<void>
  /** Reports that the platform refuses the access token of a store, once until it takes one; again if the report fails. */
  onTokenRefused?: (storeId: number, message: string) => Promise<void>
  /** Reports that it takes one again. */
  onTokenTaken?: (storeId: number) => Promise<void>
  /** How many nodes call the same platforms, this one included; 1 when left out. */
  nodes?: () => number
}

export function createConnectors({
  measure,
  nodes,
  onWithheld = async () => {},
  onTokenRefused = async () => {},
  onTokenTaken = async () => {},
  renewToken,
  ...options
}: ConnectorOptions = {}): Connectors {
  const known = new Map<number, { access: PlatformAccess; connector: Connector }>()
  const limits = new Map<number, StoreLimits>()
  const underWay = new Set<() => void>()

  const limitsOf = (storeId: number) => {
    const ofStore = limits.get(storeId) ?? { budget: new CostBudget(nodes), window: new CallWindow() }
    limits.set(storeId, ofStore)
    return ofStore
  }

  const reported = new Set<string>()
  const reportOnce = (storeId: number, field: WithheldField) => {
    const name = nameOfWithheld(field)
    const key = `${storeId} ${name} ${field.message}`
    if (reported.has(key)) return
    reported.add(key)
    onWithheld(storeId, { name, message: field.message }).catch(() => reported.delete(key))
  }

  /** Stores whose access token was refused last. */
  const refused = new Set<number>()
  const onToken = (storeId: number, refusal: string | null) => {
    if (refusal !== null && !refused.has(storeId)) {
      refused.add(storeId)
      onTokenRefused(storeId, refusal).catch(() => refused.delete(storeId))
    } else if (refusal === null && refused.delete(storeId)) {
      onTokenTaken(storeId).catch(() => refused.add(storeId))
    }
  }

  const make = (access: PlatformAccess, ofToken: Pick<ClientOptions, 'onToken' | 'renewToken'>) => {
    const report = { onWithheld: reportOnce, underWay, ...ofToken }
    const connector = createConnector(createClient(access, limitsOf(access.storeId), { ...options, ...report }))
    return measure ? countCalls(connector, measure) : connector
  }

  /** What has not been used for a while makes room, also of stores that another node has disconnected. */
  const forgetIdle = () => {
    for (const [storeId, { budget, window }] of limits) {
      if (!budget.isIdle() || !window.isIdle()) continue
      limits.delete(storeId)
      known.delete(storeId)
    }
  }
  setInterval(forgetIdle, FORGET_EVERY_MS).unref()

  return {
    to(access) {
      const last = known.get(access.storeId)
      if (last && isSame(last.access, access)) return last.connector
      const { storeId, profile, url, accessToken } = access
      const connector = make(access, { onToken, renewToken })
      known.set(storeId, { access: { storeId, profile, url, accessToken }, connector })
      return connector
    },
    tryOut: (access) => make(access, {}),
    forget: (storeId) => void known.delete(storeId),
    maxCallMs: maxCallMsOf(options),
    cutOff() {
      for (const end of [...underWay]) end()
    }
  }
}

function isSame(a: PlatformAccess, b: PlatformAccess): boolean {
  return a.profile === b.profile && a.url === b.url && a.accessToken === b.accessToken
}
