import { readFile } from 'node:fs/promises'
import { allDocuments } from '../wire/document.ts'
import type { SchemaChange } from './compare-schemas.ts'
import type { UsedSchema } from './used-schema.ts'

/** The version that the documents are written for, how many there are, and what another schema changes for them. */
export type SchemaCheck = { pinned: string; documents: number; changes: SchemaChange[] }

/** Says what the schema of another version of the Admin API, in GraphQL's own language, changes for our documents. */
export async function checkSchema(sdl: string): Promise<SchemaCheck> {
  // GraphQL is needed for nothing else that the service does.
  const { readSchema, schemaChanges } = await import('./compare-schemas.ts')
  const file = new URL('./used-schema.json', import.meta.url)
  const used = JSON.parse(await readFile(file, 'utf8')) as UsedSchema
  const documents = allDocuments()
  return { pinned: used.version, documents: documents.length, changes: schemaChanges(used, documents, readSchema(sdl)) }
}
