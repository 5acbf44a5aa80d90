// Prepares the documents for the typed clients, and checks whether the types of a client were generated from its document.
import { createHash } from 'node:crypto'
import { apiDocuments, jsonOf, type SurfaceName } from './api-document.ts'

/** The files with generated types, by the surface whose document they are made from: the client of integrators, and the admin interface. */
export const TYPES_FILES = {
  rest: new URL('../sdk/src/openapi.ts', import.meta.url),
  admin: new URL('../web/admin/shared/api/schema.ts', import.meta.url)
} as const satisfies Partial<Record<SurfaceName, URL>>

export type TypedSurface = keyof typeof TYPES_FILES

/** Keys that do not affect types. Response headers are read by the client's own code. */
const LEFT_OUT = new Set(['example', 'examples', 'headers'])

/** The API documents without general texts and examples, which would be half of the types. */
export async function documentsForTypes(): Promise<Record<TypedSurface, string>> {
  const documents = await apiDocuments()
  const prepared = (surface: TypedSurface) => {
    const { info, tags: _, servers: __, ...document } = JSON.parse(jsonOf(documents[surface]))
    const published = { info: { title: info.title, version: '1' }, ...without(document) }
    return `${JSON.stringify(published, null, 2)}\n`
  }
  return { rest: prepared('rest'), admin: prepared('admin') }
}

/** Keys of these objects (schemas, paths, properties) are names and never removed. */
function without(part: unknown, holdsNames = false): object {
  if (Array.isArray(part)) return part.map((one) => (isObject(one) ? without(one) : one))
  const members = Object.entries(part as object)
    .filter(([name]) => holdsNames || !LEFT_OUT.has(name))
    .map(([name, value]) => [name, isObject(value) ? without(value, !holdsNames && name === 'properties') : value])
  return Object.fromEntries(members)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The committed file. It contains the hash of its source, so that a check does not need the generator. */
export function stamped(types: string, document: string): string {
  return `// Made from the API document by \`npm run sdk:generate\`. Do not edit.\n${stampOf(types, document)}\n${types}`
}

/** Whether the file was generated from that document. */
export function isMadeFrom(file: string, document: string): boolean {
  const [, stamp, ...types] = file.split('\n')
  return stamp === stampOf(types.join('\n'), document)
}

const stampOf = (types: string, document: string) => `// document ${digest(document)}, types ${digest(types)}`
const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)
