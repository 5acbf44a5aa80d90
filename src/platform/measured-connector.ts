import type { Measure } from '#kit/metrics'
import type { Connector } from './connector.ts'
import { platformCalls } from './metrics.ts'
import type { PlatformResult } from './outcome.ts'

type Call = (...args: unknown[]) => Promise<PlatformResult<unknown> | PlatformResult<unknown>[]>

/** The same connector; every call is counted by its operation and outcome. */
export function measuredConnector(connector: Connector, measure: Measure): Connector {
  const measured = Object.entries<Call>(connector as unknown as Record<string, Call>).map(([operation, call]) => [
    operation,
    async (...args: unknown[]) => {
      const answer = await call(...args)
      for (const result of Array.isArray(answer) ? answer : [answer]) {
        measure(platformCalls, 1, { operation, outcome: result.ok ? 'ok' : result.failure.kind })
      }
      return answer
    }
  ])
  return Object.fromEntries(measured) as Connector
}
