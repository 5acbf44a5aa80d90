import type { HttpDeps } from '../shared/deps.ts'
import { routesIn } from '../shared/surface.ts'

/** Every route of the storefront, in the order of its document. */
export const STOREFRONT_ROUTES = await routesIn<HttpDeps>([import('./churn/cancel-contract.ts')])
