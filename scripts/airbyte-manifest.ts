import { type ExportEndpoint, rowSchema } from '#exports'
import { streamName } from '../src/cli/data/singer-catalog.ts'

/** The version of the manifest's format: that of the CDK with which it was last run. */
const FORMAT_VERSION = '7.39.1'

/** A day before every store, for the first sync. */
const FIRST_DAY = '2000-01-01'

/** The field that the manifest adds to rows of streams that are read by what changed: the UTC day of the sync. */
const SYNCED_ON = 'synced_on'

/** A connector for Airbyte in its low-code format: one stream for each endpoint. */
export function airbyteManifest(endpoints: readonly ExportEndpoint[]): object {
  return {
    version: FORMAT_VERSION,
    type: 'DeclarativeSource',
    check: { type: 'CheckStream', stream_names: ['members'] },
    streams: endpoints.map(streamOf),
    spec: {
      type: 'Spec',
      connection_specification: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        required: ['shop', 'key'],
        additionalProperties: true,
        properties: {
          shop: {
            type: 'string',
            title: 'Shop',
            description: 'The address of the shop, such as https://corner-shop.example',
            pattern: '^https?://.*[^/]$',
            order: 0
          },
          key: {
            type: 'string',
            title: 'API key',
            description: 'An API key of the store with the scope read:data',
            airbyte_secret: true,
            order: 1
          },
          start_date: {
            type: 'string',
            title: 'Start date',
            description: 'Orders and subscriptions that were created or changed since this day are read',
            format: 'date',
            pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
            default: FIRST_DAY,
            order: 2
          }
        }
      }
    }
  }
}

function streamOf(endpoint: ExportEndpoint): object {
  const { name, filters, key, paging } = endpoint
  const { $schema: _, additionalProperties: __, ...row } = rowSchema({ ...endpoint, name: streamName(endpoint) })
  const isByChange = filters.includes('since_updated')
  return {
    type: 'DeclarativeStream',
    name: streamName(endpoint),
    ...(key.length > 0 ? { primary_key: key } : {}),
    retriever: {
      type: 'SimpleRetriever',
      requester: {
        type: 'HttpRequester',
        url: `{{ config['shop'] }}/apps/svc-api/v1/data/${name}`,
        http_method: 'GET',
        authenticator: {
          type: 'ApiKeyAuthenticator',
          api_token: "{{ config['key'] }}",
          inject_into: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'key' }
        },
        error_handler: {
          type: 'DefaultErrorHandler',
          max_retries: 8,
          backoff_strategies: [
            { type: 'WaitTimeFromHeader', header: 'Retry-After' },
            { type: 'ExponentialBackoffStrategy', factor: 2 }
          ]
        }
      },
      record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
      paginator: {
        type: 'DefaultPaginator',
        page_token_option: {
          type: 'RequestOption',
          inject_into: 'request_parameter',
          field_name: paging === 'page' ? 'page' : 'since_id'
        },
        pagination_strategy:
          paging === 'page'
            ? { type: 'PageIncrement', start_from_page: 1, page_size: endpoint.pageSize, inject_on_first_request: true }
            : {
                type: 'CursorPagination',
                cursor_value: "{{ response['meta']['last_id'] }}",
                stop_condition: "{{ not response['meta']['has_more'] }}"
              }
      }
    },
    schema_loader: {
      type: 'InlineSchemaLoader',
      schema: {
        ...row,
        $schema: 'http://json-schema.org/draft-07/schema#',
        additionalProperties: true,
        properties: {
          ...row.properties,
          ...(isByChange
            ? { [SYNCED_ON]: { type: 'string', format: 'date', description: 'The day of the sync in UTC' } }
            : {})
        }
      }
    },
    ...(isByChange ? byChange() : {})
  }
}

/**
 * Rows do not have their change time. Each gets the day on which the sync began, so that the next one asks from there on; a day earlier,
 * because the day of a shop may begin half a day after that of UTC.
 */
function byChange(): object {
  return {
    transformations: [
      {
        type: 'AddFields',
        fields: [
          {
            type: 'AddedFieldDefinition',
            path: [SYNCED_ON],
            value: "{{ stream_slice['end_time'] }}",
            value_type: 'string'
          }
        ]
      }
    ],
    incremental_sync: {
      type: 'DatetimeBasedCursor',
      cursor_field: SYNCED_ON,
      datetime_format: '%Y-%m-%d',
      cursor_datetime_formats: ['%Y-%m-%d'],
      start_datetime: `{{ config.get('start_date', '${FIRST_DAY}') }}`,
      end_datetime: "{{ now_utc().strftime('%Y-%m-%d') }}",
      lookback_window: 'P1D',
      start_time_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'since_updated' }
    }
  }
}
