import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { connectorTo } from '../../../test/connectors.ts'
import { aPlatform, data, theValue } from '../../../test/fake-platform.ts'
import { DownloadFailed, downloadLines } from './download-lines.ts'

let requests = 0
const inside = createServer((_, response) => {
  requests++
  response.end('{"id":"1"}\n{"id":"2"}\n')
})
await once(inside.listen(0, '127.0.0.1'), 'listening')
after(() => inside.close())
const { port } = inside.address() as AddressInfo

async function linesOf(file: Parameters<typeof downloadLines>[0]): Promise<string[]> {
  const all: string[] = []
  for await (const lines of downloadLines(file)) all.push(...lines)
  return all
}

test('a file on the host of the platform is read wherever that is', async () => {
  requests = 0
  const lines = await linesOf({ url: `http://127.0.0.1:${port}/bulk/1.jsonl`, isOnPlatform: true })
  assert.deepEqual([lines, requests], [['{"id":"1"}', '{"id":"2"}'], 1])
})

test('a link elsewhere must not lead into the network around the service', async () => {
  requests = 0
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '10.0.0.1', '169.254.169.254']) {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${port}/bulk/1.jsonl`
      await assert.rejects(linesOf({ url, isOnPlatform: false }), (err: Error) => {
        assert.ok(err instanceof DownloadFailed)
        assert.match(err.message, /No connection to|is not allowed/, url)
        return true
      })
    }
  }
  assert.equal(requests, 0)
})

test('the platform is known by its host, whatever the port and the path', async () => {
  let url = ''
  const platform = await aPlatform((res) =>
    data(res, {
      bulkOperation: {
        id: 'gid://platform/BulkOperation/1',
        status: 'COMPLETED',
        query: 'q',
        errorCode: null,
        objectCount: '2',
        url
      }
    })
  )
  const connector = connectorTo({ storeId: 1, profile: 'platform', url: platform.url, accessToken: 'token-1' })
  for (const [link, isOnPlatform] of [
    ['http://127.0.0.1:1/bulk/1.jsonl', true],
    ['https://127.0.0.1/', true],
    ['https://127.0.0.2/', false],
    ['https://127.0.0.1.files.example/', false],
    ['https://127.0.0.1@files.example/', false],
    ['no link', false]
  ] as const) {
    url = link
    assert.deepEqual(theValue(await connector.bulk.find('1'))?.file, { url: link, isOnPlatform }, link)
  }
})
