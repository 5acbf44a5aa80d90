import type { Connector } from './connector.ts'
import type { PlatformResult } from './outcome.ts'

type Call = (...args: unknown[]) => Promise<PlatformResult<unknown> | PlatformResult<unknown>[]>

/** The same connector; every call tells its operation and how it came out. */
export function measuredConnector(
  connector: Connector,
  platformCalled: (operation: string, outcome: string) => void
): Connector {
  const measured = Object.entries<Call>(connector as unknown as Record<string, Call>).map(([operation, call]) => [
    operation,
    async (...args: unknown[]) => {
      const answer = await call(...args)
      for (const result of Array.isArray(answer) ? answer : [answer]) {
        platformCalled(operation, result.ok ? 'ok' : result.failure.kind)
      }
      return answer
    }
  ])
  return Object.fromEntries(measured) as Connector
}
