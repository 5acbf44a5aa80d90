import { randomUUID } from 'node:crypto'
import { MAX_UPLOAD_BYTES, signKey } from '../bulk/staged-upload-route.ts'
import { insertStagedUpload } from '../state/staged-uploads.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type UserError, userError } from './user-errors.ts'

const VALID_HOURS = 24
const RESOURCE = 'BULK_MUTATION_VARIABLES'

type Input = { filename: string; mimeType: string; resource: string; httpMethod?: string | null }

function problemOf({ resource, filename }: Input, i: number): UserError | null {
  const at = (field: string) => ['input', String(i), field]
  if (filename.trim() === '') return userError(at('filename'), "Filename can't be blank")
  return resource === RESOURCE ? null : userError(at('resource'), `Only files of ${RESOURCE} are kept here`)
}

/** Places for files, each with what must be sent with the file. */
async function create(_root: unknown, { input }: { input: Input[] }, api: Api) {
  const userErrors = input.flatMap((one, i) => problemOf(one, i) ?? [])
  if (userErrors.length > 0) return { stagedTargets: [], userErrors }
  const { shop, baseUrl } = api
  const now = await api.now()
  const url = `${baseUrl}/staged-uploads`
  const stagedTargets = await api.write(async (q) => {
    const targets = []
    for (const { filename, mimeType, httpMethod } of input) {
      const key = `tmp/${shop.id}/bulk/${randomUUID()}/${filename.split('/').at(-1)}`
      await insertStagedUpload(q, shop.storeId, { key, mimeType, expiresAt: now.add({ hours: VALID_HOURS }) })
      const signature = signKey(shop, key)
      const query = new URLSearchParams({ key, signature })
      targets.push(
        httpMethod === 'POST'
          ? { url, resourceUrl: url, parameters: formFields(key, mimeType, signature, now) }
          : {
              url: `${url}?${query}`,
              resourceUrl: `${url}/${key}`,
              parameters: [
                { name: 'content_type', value: mimeType },
                { name: 'acl', value: 'private' }
              ]
            }
      )
    }
    return targets
  })
  return { stagedTargets, userErrors: [] }
}

/** The fields of the form that the platform's store of files wants, in its order. */
function formFields(key: string, mimeType: string, signature: string, now: Temporal.Instant) {
  const stamp = now.round('second').toString().replace(/[-:]/g, '')
  const conditions = [{ 'Content-Type': mimeType }, { key }, ['content-length-range', 1, MAX_UPLOAD_BYTES]]
  const policy = { conditions, expiration: now.add({ hours: VALID_HOURS }).round('second').toString() }
  return Object.entries({
    'Content-Type': mimeType,
    success_action_status: '201',
    acl: 'private',
    key,
    'x-goog-date': stamp,
    'x-goog-credential': `sandbox/${stamp.slice(0, 8)}/auto/storage/goog4_request`,
    'x-goog-algorithm': 'GOOG4-RSA-SHA256',
    'x-goog-signature': signature,
    policy: Buffer.from(JSON.stringify(policy)).toString('base64')
  }).map(([name, value]) => ({ name, value }))
}

export const stagedUploadResolvers: Resolvers = { Mutation: { stagedUploadsCreate: create } }
