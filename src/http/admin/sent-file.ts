import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { invalidField } from '#kit/refusal'
import type { Surface } from '../shared/surface.ts'

/** A file of rows that is being sent. */
export type SentFile = { format: 'csv' | 'ndjson'; stream: AsyncIterable<Buffer> }

/** Has the bodies of these routes read as they arrive: a file may be larger than the memory. */
export function acceptFiles(files: Surface): void {
  files.addContentTypeParser(['text/csv', 'application/x-ndjson'], (_request, body, done) => done(null, body))
}

export async function receiveSent<T>(request: FastifyRequest, receive: (file: SentFile) => Promise<T>): Promise<T> {
  const { body } = request
  if (!(body instanceof Readable)) {
    throw invalidField('Content-Type', 'must be text/csv or application/x-ndjson, with the file as the body')
  }
  const format = /^text\/csv\b/i.test(request.headers['content-type'] ?? '') ? 'csv' : 'ndjson'
  try {
    return await receive({ format, stream: body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer> })
  } finally {
    // The rest of a file that is refused early is still read: a client that is cut off would not see why.
    body.resume()
  }
}
