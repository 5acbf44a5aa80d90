import { type Connector, type ConnectorOptions, createConnectors } from '#platform'

type Access = Parameters<ReturnType<typeof createConnectors>['to']>[0]

/** A connector to a platform, with its own cost budget. */
export function connectorTo(access: Access, options?: ConnectorOptions): Connector {
  return createConnectors(options).to(access)
}

/** Calls of a connector, by resource. */
export type ConnectorCalls = { [Resource in keyof Connector]?: Partial<Connector[Resource]> }

/** The same connector with some of its calls replaced. */
export function withCalls(connector: Connector, calls: ConnectorCalls): Connector {
  const resources = Object.keys(connector) as (keyof Connector)[]
  const merged = resources.map((resource) => [resource, { ...connector[resource], ...calls[resource] }])
  return Object.fromEntries(merged)
}
