import { badUsage } from '../command-error.ts'
import type { DataEndpoint } from './endpoint.ts'

/** How a stream goes on in the next run: rows that changed since, rows behind the last one, or all again. */
export type Replication = 'changes' | 'added' | 'all'

/** A stream of the Data API as it was chosen. */
export type Stream = {
  endpoint: DataEndpoint
  replication: Replication
  /** The fields that a record must not have. */
  leftOut: ReadonlySet<string>
}

type Metadata = { breadcrumb: string[]; metadata: Record<string, unknown> }
type CatalogStream = { tap_stream_id: string; metadata?: Metadata[] }

const replicationOf = ({ filters, addsOnly }: DataEndpoint): Replication =>
  addsOnly ? 'added' : filters.includes('since_updated') ? 'changes' : 'all'

/** The name of the stream of an endpoint: targets make it the name of a table, where a hyphen would have to be quoted. */
export const streamName = ({ name }: Pick<DataEndpoint, 'name'>): string => name.replaceAll('-', '_')

/** The schema of a SCHEMA message: with these fields besides, without those that were left out. */
export function streamSchema(
  { schema }: DataEndpoint,
  others: readonly string[],
  leftOut: ReadonlySet<string>
): object {
  const properties = {
    ...(schema.properties as Record<string, unknown>),
    ...Object.fromEntries(others.map((name) => [name, { type: 'string' }]))
  }
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !leftOut.has(name))),
    required: (schema.required as string[]).filter((name) => !leftOut.has(name)),
    additionalProperties: false
  }
}

/** What `--discover` prints: every stream, with its key and what may be chosen. The history of store credit has no key and is all in the ledger, so it is not selected by itself. */
export function catalogOf(endpoints: readonly DataEndpoint[]): { streams: object[] } {
  return {
    streams: endpoints.map((endpoint) => {
      const { fields, key } = endpoint
      const name = streamName(endpoint)
      const isIncremental = replicationOf(endpoint) !== 'all'
      return {
        tap_stream_id: name,
        stream: name,
        key_properties: key,
        schema: streamSchema(endpoint, [], new Set()),
        replication_method: isIncremental ? 'INCREMENTAL' : 'FULL_TABLE',
        metadata: [
          {
            breadcrumb: [],
            metadata: {
              inclusion: 'available',
              'selected-by-default': isSelectedByDefault(endpoint),
              'table-key-properties': key,
              ...(isIncremental ? {} : { 'forced-replication-method': 'FULL_TABLE' })
            }
          },
          ...fields.map((field) => ({
            breadcrumb: ['properties', field.name],
            metadata: { inclusion: key.includes(field.name) ? 'automatic' : 'available', 'selected-by-default': true }
          }))
        ]
      }
    })
  }
}

const isSelectedByDefault = ({ name }: DataEndpoint) => name !== 'credits-history'

/** The streams that a catalog selects; without a catalog those that are selected by default, with all their fields. */
export function selectedStreams(endpoints: readonly DataEndpoint[], catalog: object | undefined): Stream[] {
  if (!catalog) {
    return endpoints
      .filter(isSelectedByDefault)
      .map((endpoint) => ({ endpoint, replication: replicationOf(endpoint), leftOut: new Set() }))
  }
  const { streams } = catalog as { streams?: CatalogStream[] }
  if (!Array.isArray(streams)) throw badUsage('--catalog must have a list "streams", as --discover prints it')
  return streams.flatMap((stream): Stream[] => {
    const endpoint = endpoints.find((one) => streamName(one) === stream.tap_stream_id)
    if (!endpoint) throw badUsage(`--catalog has a stream ${stream.tap_stream_id} that is not there`)
    const metadata = (breadcrumb: string[]) =>
      stream.metadata?.find((one) => one.breadcrumb.join('/') === breadcrumb.join('/'))?.metadata ?? {}
    const whole = metadata([])
    if (!isSelected(whole, isSelectedByDefault(endpoint))) return []
    const method = whole['forced-replication-method'] ?? whole['replication-method']
    return [
      {
        endpoint,
        replication: method === 'FULL_TABLE' ? 'all' : replicationOf(endpoint),
        leftOut: new Set(
          endpoint.fields
            .map(({ name }) => name)
            .filter((name) => !endpoint.key.includes(name) && !isSelected(metadata(['properties', name]), true))
        )
      }
    ]
  })
}

const isSelected = (metadata: Record<string, unknown>, otherwise: boolean): boolean =>
  typeof metadata.selected === 'boolean'
    ? metadata.selected
    : ((metadata['selected-by-default'] as boolean | undefined) ?? otherwise)
