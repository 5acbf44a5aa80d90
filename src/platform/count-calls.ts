import type { Measure } from '#kit/metrics'
import type { Connector } from './connector.ts'
import { platformCalls } from './metrics.ts'
import type { PlatformResult } from './wire/outcome.ts'

type Call = (...args: unknown[]) => Promise<PlatformResult<unknown> | PlatformResult<unknown>[]>

/** The same connector; each call is counted by its operation (`contracts.pause`) and outcome, once per result. */
export function countCalls(connector: Connector, measure: Measure): Connector {
  const resources = Object.entries(connector).map(([resource, api]) => {
    const calls = Object.entries<Call>(api as Record<string, Call>).map(([name, call]) => [
      name,
      counted(call, `${resource}.${name}`, measure)
    ])
    return [resource, Object.fromEntries(calls)]
  })
  return Object.fromEntries(resources)
}

function counted(call: Call, operation: string, measure: Measure): Call {
  return async (...args) => {
    const returned = await call(...args)
    for (const result of Array.isArray(returned) ? returned : [returned]) {
      measure(platformCalls, 1, { operation, outcome: result.ok ? 'ok' : result.failure.kind })
    }
    return returned
  }
}
