import { readdir, readFile } from 'node:fs/promises'
import { type ExportEndpoint, endpoints, rowSchema } from '#exports'
import { airbyteManifest } from './airbyte-manifest.ts'
import { yaml } from './yaml.ts'

export const ROOT = new URL('../', import.meta.url)
const SCHEMAS = 'docs/schemas/data/'
const GENERATED = 'Written by npm run warehouse:generate. Do not edit.'

const json = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`

/** The files for warehouses that are made of the declarations of the Data API, by their paths. */
export function warehouseFiles(): Map<string, string> {
  return new Map([
    ...endpoints.map((endpoint): [string, string] => {
      const { $schema, ...schema } = rowSchema(endpoint)
      return [
        `${SCHEMAS}${endpoint.name}.schema.json`,
        json({ $schema, $id: `urn:perennial:data:${endpoint.name}`, ...schema })
      ]
    }),
    ['examples/airbyte/manifest.yaml', `# ${GENERATED}\n${yaml(airbyteManifest(endpoints))}`],
    ['examples/dlt/endpoints.json', json(endpoints.map(forLoaders))],
    ['examples/dbt/models/sources.yml', `# ${GENERATED}\n${yaml(dbtSources())}`]
  ])
}

function forLoaders({ name, paging, filters, key, addsOnly, fields }: ExportEndpoint): object {
  return {
    name,
    paging,
    filters,
    key,
    adds_only: addsOnly === true,
    fields: Object.fromEntries(fields.map((field) => [field.name, field.format]))
  }
}

/** The files of `perennial export --format parquet` as sources of dbt-duckdb. */
function dbtSources(): object {
  return {
    version: 2,
    sources: [
      {
        name: 'perennial',
        config: {
          meta: { external_location: 'read_parquet(\'{{ env_var("PERENNIAL_EXPORT", ".") }}/{name}.parquet\')' }
        },
        tables: endpoints.map(({ name, meaning, fields, key }) => ({
          name,
          description: meaning,
          columns: fields.map((field) => ({
            name: field.name,
            description: field.meaning,
            ...(key.length === 1 && key[0] === field.name ? { data_tests: ['unique', 'not_null'] } : {})
          }))
        }))
      }
    ]
  }
}

/** What is not as the declarations say: files that are stale, missing, or of an endpoint that is no more. */
export async function staleFiles(): Promise<string[]> {
  const wanted = warehouseFiles()
  const stale: string[] = []
  for (const [path, text] of wanted) {
    if ((await readFile(new URL(path, ROOT), 'utf8').catch(() => null)) !== text) stale.push(path)
  }
  const there = await readdir(new URL(SCHEMAS, ROOT)).catch(() => [])
  return [...stale, ...there.map((name) => `${SCHEMAS}${name}`).filter((path) => !wanted.has(path))]
}
