import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import Fastify from 'fastify'
import { errorBody, statusOf } from '../storefront/errors.ts'
import { handleErrors } from './surface.ts'

test('what fails before its first byte is answered as an error that is not said to be compressed', async () => {
  const app = Fastify()
  handleErrors(app, { statusOf, errorBody })
  app.get('/page', (_, reply) =>
    reply.header('content-encoding', 'zstd').send(
      new Readable({
        read() {
          this.destroy(new Error('It broke'))
        }
      })
    )
  )
  const { statusCode, headers, json } = await app.inject('/page')
  assert.deepEqual([statusCode, headers['content-encoding']], [500, undefined])
  assert.deepEqual(json(), { message: 'Something went wrong on our side' })
})
