// What bulk operations need: uploaded files, operations of before, and documents without what the sandbox lacks.

import type { GraphQLSchema } from 'graphql'
import { request } from 'undici'
import type { TestShop } from '../../sandbox/start-sandbox.test-helper.ts'
import { type Names, pair } from './compare-answers.ts'
import type { RecordedCall } from './recorded-calls.ts'
import { reduceDocument } from './reduce-document.ts'

type Json = any

const PATH = /^tmp\/\d+\/bulk\/[\w-]+\/.+/
const UPLOAD = `mutation($input: [StagedUploadInput!]!) { stagedUploadsCreate(input: $input) {
  stagedTargets { url parameters { name value } } userErrors { message } } }`
const PRODUCTS = '{ products { edges { node { id } } } }'
const TAGS = 'mutation($id: ID!, $tags: [String!]!) { tagsAdd(id: $id, tags: $tags) { userErrors { message } } }'

/**
 * Where a document is an argument, it is sent without what the sandbox lacks; another, if nothing is left of it. One that was refused is
 * sent as it is. Returns what was taken out.
 */
export function reduceBulkDocuments(
  { variables, answer }: RecordedCall,
  schema: GraphQLSchema,
  lacking: ReadonlySet<string>,
  names: Names
): string[] {
  const without: string[] = []
  const { userErrors = [] } = (Object.values(answer.data ?? {})[0] ?? {}) as Json
  if (userErrors.some(({ code }: Json) => code !== 'NO_SUCH_FILE')) return []
  for (const text of Object.values(variables)) {
    if (typeof text !== 'string' || !/^\s*(#.*\n\s*)*(query|mutation|\{)/.test(text)) continue
    const reduced = reduceDocument(text, schema, lacking)
    without.push(...reduced.without)
    const other = /^\s*(#.*\n\s*)*mutation/.test(text) ? TAGS : PRODUCTS
    if (reduced.isReduced) names.ours.set(text, reduced.document ?? other)
  }
  return without
}

/** Uploads the file that a bulk mutation reads, over HTTP, unless the recorded store had none either. */
export async function bringUpload(shop: TestShop, file: Json, call: RecordedCall, names: Names): Promise<void> {
  const path = Object.values(call.variables).find((one): one is string => typeof one === 'string' && PATH.test(one))
  const errors = call.answer.data?.bulkOperationRunMutation?.userErrors ?? []
  if (!path || errors.some(({ code }: Json) => code === 'NO_SUCH_FILE')) return
  names.ours.set(path, await upload(shop, path.split('/').at(-1)!, contentOf(file, path, call)))
}

async function upload(shop: TestShop, filename: string, content: string): Promise<string> {
  const input = [{ filename, mimeType: 'text/jsonl', resource: 'BULK_MUTATION_VARIABLES', httpMethod: 'POST' }]
  const { stagedTargets } = (await shop.graphql(UPLOAD, { input })).data.stagedUploadsCreate
  const [{ url, parameters }] = stagedTargets
  const form = new FormData()
  for (const { name, value } of parameters) form.append(name, value)
  form.append('file', new Blob([content], { type: 'text/jsonl' }), filename)
  const encoded = new Response(form)
  const { statusCode } = await request(url, {
    method: 'POST',
    dispatcher: shop.agent,
    headers: { 'content-type': encoded.headers.get('content-type')! },
    body: Buffer.from(await encoded.arrayBuffer())
  })
  if (statusCode !== 201) throw new Error(`The upload was answered with ${statusCode}`)
  return parameters.find(({ name }: Json) => name === 'key').value
}

/** The uploaded file, if it was recorded; else a line that fits the mutation, with what its result says. */
function contentOf(file: Json, path: string, { variables }: RecordedCall): string {
  const told = contentNear(file, path)
  if (told !== undefined) return told
  const title = file.productTitle ?? 'A product'
  const mutation = String(variables.mutation)
  const result = JSON.stringify(file)
  if (mutation.includes('customerCreate')) {
    const email = /"email\\*":\\*"([^"\\]+)/.exec(result)?.[1] ?? 'someone@example.com'
    return `${JSON.stringify({ input: { email, firstName: 'Bulk', lastName: 'Allowed Root' } })}\n`
  }
  return `${JSON.stringify({ product: { title } })}\n`
}

function contentNear(value: Json, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (typeof value.uploadContent === 'string' && JSON.stringify(value.stagedUpload ?? {}).includes(path)) {
    return value.uploadContent
  }
  for (const inner of Object.values(value)) {
    const found = contentNear(inner, path)
    if (found !== undefined) return found
  }
  return undefined
}

/** A finished operation that the recorded store had before the first call. */
export async function bringOperation(shop: TestShop, { answer }: RecordedCall, names: Names): Promise<void> {
  const operation = answer.data?.currentBulkOperation
  if (!operation?.id || names.ours.has(operation.id)) return
  const run =
    operation.type === 'MUTATION'
      ? `mutation($path: String!) { run: bulkOperationRunMutation(mutation: ${JSON.stringify(TAGS)}, stagedUploadPath: $path) {
           bulkOperation { id } } }`
      : `mutation { run: bulkOperationRunQuery(query: ${JSON.stringify(PRODUCTS)}) { bulkOperation { id } } }`
  const line = JSON.stringify({ id: 'gid://shopify/Customer/1', tags: ['a'] })
  const path = operation.type === 'MUTATION' ? await upload(shop, 'earlier.jsonl', line) : undefined
  const { data } = await shop.graphql(run, path ? { path } : {})
  await shop.settle()
  pair(names, operation.id, data.run.bulkOperation.id)
}
