import type { Route, Surface } from '../../shared/surface.ts'
import type { ChurnDeps } from '../churn/deps.ts'

/** A route of the Churn API on a surface that has others too. */
export const belowChurn =
  (route: Route<ChurnDeps>): Route<ChurnDeps> =>
  (surface, deps) => {
    surface.register(async (churn) => route(churn as Surface, deps), { prefix: '/membership/churn' })
  }
