// Writes src/platform/version/used-schema.json, the part of the pinned Admin schema that our documents use:
//   npm run used-schema:generate
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { buildSchema } from 'graphql'
import { usedSchema, usedSchemaText } from '../src/platform/version/used-schema.ts'
import { allDocuments } from '../src/platform/wire/document.ts'
import { API_VERSION } from '../src/platform/wire/platform-profiles.ts'

// Loads every file that makes a document.
import '../src/platform/connector.ts'

const fixture = new URL(`../test/fixtures/platform/admin-schema.${API_VERSION}.graphql.gz`, import.meta.url)
const schema = buildSchema(gunzipSync(readFileSync(fixture)).toString(), { assumeValid: true, assumeValidSDL: true })
const used = usedSchema(schema, allDocuments(), API_VERSION)
const file = new URL('../src/platform/version/used-schema.json', import.meta.url)
writeFileSync(file, usedSchemaText(used))
