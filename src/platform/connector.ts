import * as resources from './resources.ts'
import type { PlatformClient } from './wire/client.ts'

type Resources = typeof resources

/** Everything that we ask of one store's platform, by resource: `connector.contracts.pause(id)`. */
export type Connector = { [Resource in keyof Resources]: ReturnType<Resources[Resource]> }

export function createConnector(client: PlatformClient): Connector {
  const apis = Object.entries(resources).map(([resource, createApi]) => [resource, createApi(client)])
  return Object.fromEntries(apis)
}
