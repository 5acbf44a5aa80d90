import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { receiveFile } from '#imports'
import { invalidField } from '#kit/refusal'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { ImportBody, ImportParams, presentImport } from './present-import.ts'

const FILE_TYPES = {
  'text/csv': 'contract_id,next_billing_date\n9264106591,2030-01-31\n',
  'application/x-ndjson': '{"contract_id":"9264106591","next_billing_date":"2030-01-31"}\n'
}

/** PUT /stores/{store}/imports/{import}/rows */
export function sendRowsRoute(admin: Surface, { db }: AdminDeps): void {
  admin.register(async (files) => {
    // The rows are read as they arrive: the file may be larger than the memory.
    files.addContentTypeParser(Object.keys(FILE_TYPES), (_request, body, done) => done(null, body))
    files.put(
      '/stores/:store/imports/:import/rows',
      {
        config: { allow: 'operator', mayTakeLong: true },
        schema: {
          operationId: 'sendImportRows',
          summary: 'Send the file of an import',
          description:
            'The body is the file itself, of at most 512 MiB, and may take six hours to arrive. The import begins to run when it is complete. When the connection breaks, send it again from its beginning: rows that were read are skipped. A file without the header that is needed is 400; another file than before is 409.',
          consumes: FILE_TYPES,
          params: ImportParams,
          response: { 200: ImportBody }
        }
      },
      async (request) => {
        const { import: id } = request.params as Static<typeof ImportParams>
        const sent = sentIn(request)
        try {
          const received = await receiveFile(db, storeOf(request).storeId, idInPath('imp', id), sent)
          return presentImport(received)
        } finally {
          // The rest of a file that is refused early is still read: a client that is cut off would not see why.
          sent.body.resume()
        }
      }
    )
  })
}

function sentIn(request: FastifyRequest) {
  const type = request.headers['content-type'] ?? ''
  const format = /^text\/csv\b/i.test(type) ? ('csv' as const) : ('ndjson' as const)
  if (!(request.body instanceof Readable)) {
    throw invalidField('Content-Type', 'must be text/csv or application/x-ndjson, with the file as the body')
  }
  const { body } = request
  return { format, body, stream: body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer> }
}
