import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SandboxDatabase } from '../report-queued.ts'
import type { Shop } from '../shop.ts'
import { insertStagedUpload, writeStagedUpload } from '../state/staged-uploads.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type UserError, userError } from '../admin/user-errors.ts'

/** The longest file, as the platform limits it. */
const MAX_BYTES = 104_857_600
const VALID_HOURS = 24
const RESOURCE = 'BULK_MUTATION_VARIABLES'

type Input = { filename: string; mimeType: string; resource: string; httpMethod?: string | null }

/** The address needs no token, so it is signed. */
const signKey = (shop: Shop, key: string): string =>
  createHmac('sha256', shop.appSecret).update(`upload ${key}`).digest('hex')

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
  const stamp = now
    .round('second')
    .toString()
    .replace(/[-:]/g, '')
  const conditions = [{ 'Content-Type': mimeType }, { key }, ['content-length-range', 1, MAX_BYTES]]
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

/** Receives the files: as a form, or as the body of a PUT. */
export function stagedUploadRoute(db: SandboxDatabase, clock: (shopDomain: string) => Promise<Temporal.Instant>) {
  return (shopRoutes: FastifyInstance) => {
    shopRoutes.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BYTES + 64 * 1024 }, (_request, body, done) =>
        done(null, body)
      )
      const store = async (shop: Shop, given: { key: string; signature: string; content: string }) => {
        const [expected, got] = [Buffer.from(signKey(shop, given.key)), Buffer.from(given.signature)]
        if (expected.length !== got.length || !timingSafeEqual(expected, got)) return 403
        if (given.content === '' || Buffer.byteLength(given.content) > MAX_BYTES) return 400
        return (await writeStagedUpload(db.direct, shop.storeId, given, await clock(shop.domain))) ? 201 : 403
      }
      scope.post('/staged-uploads', async (request, reply) => {
        const { shop, baseUrl } = request.shopRequest
        const form = await formOf(request.body, request.headers['content-type'])
        const file = form?.get('file')
        const key = String(form?.get('key') ?? '')
        const content = file instanceof Blob ? await file.text() : ''
        const status = await store(shop, { key, signature: String(form?.get('x-goog-signature') ?? ''), content })
        if (status !== 201) return refuse(reply, status)
        const tag = createHash('md5').update(content).digest('hex')
        const location = `${baseUrl}/staged-uploads/${key}`
        return reply
          .code(201)
          .type('application/xml; charset=UTF-8')
          .send(
            `<?xml version='1.0' encoding='UTF-8'?><PostResponse><Location>${location}</Location><Bucket>staged-uploads</Bucket><Key>${key}</Key><ETag>"${tag}"</ETag></PostResponse>`
          )
      })
      scope.put('/staged-uploads', async (request, reply) => {
        const { key = '', signature = '' } = request.query as { key?: string; signature?: string }
        const content = Buffer.isBuffer(request.body) ? request.body.toString() : ''
        const status = await store(request.shopRequest.shop, { key, signature, content })
        return status === 201 ? reply.code(200).send() : refuse(reply, status)
      })
    })
  }
}

/** The fields of a form; null if the body is none. */
async function formOf(body: unknown, contentType: string | undefined): Promise<FormData | null> {
  if (!Buffer.isBuffer(body) || !contentType?.startsWith('multipart/form-data')) return null
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch {
    // A body that is no form is refused as one without a file.
    return null
  }
}

function refuse(reply: FastifyReply, status: number) {
  const code = status === 403 ? 'AccessDenied' : 'InvalidArgument'
  return reply
    .code(status)
    .type('application/xml; charset=UTF-8')
    .send(`<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code></Error>`)
}
