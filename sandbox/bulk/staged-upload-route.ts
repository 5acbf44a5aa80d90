import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SandboxDatabase } from '../report-queued.ts'
import type { Shop } from '../shop.ts'
import { writeStagedUpload } from '../state/staged-uploads.ts'

/** The longest file, as the platform limits it. */
export const MAX_UPLOAD_BYTES = 104_857_600

/** The address needs no token, so it is signed. */
export const signKey = (shop: Shop, key: string): string =>
  createHmac('sha256', shop.appSecret).update(`upload ${key}`).digest('hex')

/** Receives the files: as a form, or as the body of a PUT. */
export function stagedUploadRoute(db: SandboxDatabase, clock: (shopDomain: string) => Promise<Temporal.Instant>) {
  return (shopRoutes: FastifyInstance) => {
    shopRoutes.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser(
        '*',
        { parseAs: 'buffer', bodyLimit: MAX_UPLOAD_BYTES + 64 * 1024 },
        (_request, body, done) => done(null, body)
      )
      const store = async (shop: Shop, given: { key: string; signature: string; content: string }) => {
        const [expected, got] = [Buffer.from(signKey(shop, given.key)), Buffer.from(given.signature)]
        if (expected.length !== got.length || !timingSafeEqual(expected, got)) return 403
        if (given.content === '' || Buffer.byteLength(given.content) > MAX_UPLOAD_BYTES) return 400
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
