import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Meta } from './api-response.ts'
import { pages, rowsOf } from './index.ts'
import { aClient, answering, aServer, type Reply, saying } from './server.test-helper.ts'

type Row = { id: string }
const rows = (from: number, to: number): Row[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ id: `mem_${from + i}` }))
const ids = (list: Row[]) => list.map(({ id }) => id)

/** A list of the direct API, newest first, over what `members` holds when it is asked. */
const listing =
  (members: () => Row[]): Reply =>
  (response, { url }) => {
    const { searchParams } = new URL(url, 'http://x')
    const [limit, offset] = [Number(searchParams.get('limit') ?? 50), Number(searchParams.get('offset') ?? 0)]
    const data = members().slice(offset, offset + limit)
    const total = members().length
    answering(200, { data, meta: { total, limit, offset, has_more: offset + data.length < total } })(
      response,
      {} as never
    )
  }

test('a list is iterated to its end, in pages of a hundred or of the size given', async () => {
  const all = rows(1, 250)
  const { client, requests } = await aClient([listing(() => all)])
  const walked: Row[] = []
  for await (const member of client.members.list({ status: 'active' })) walked.push(member)
  assert.deepEqual(ids(walked), ids(all))
  assert.deepEqual(
    requests.map(({ url }) => url),
    [0, 100, 200].map((offset) => `/v1/members?status=active&limit=100&offset=${offset}`)
  )
  assert.equal((await client.members.list({ offset: 240, limit: 3 }).toArray({ atMost: 1000 })).length, 10)
  assert.equal(requests.length, 3 + 4)
})

test('an awaited list is one page, and nothing is asked of one that is not awaited', async () => {
  const { client, requests } = await aClient([listing(() => rows(1, 60))])
  const list = client.members.list()
  assert.equal(requests.length, 0)
  const { data, meta, requestId } = await list
  assert.deepEqual([data.length, meta, requestId], [50, { total: 60, limit: 50, offset: 0, has_more: true }, 'req-1'])
  const metas: Meta[] = []
  for await (const page of client.members.list({ limit: 40 }).pages()) metas.push(page.meta)
  assert.deepEqual(
    metas.map(({ offset, has_more }) => [offset, has_more]),
    [
      [0, true],
      [40, false]
    ]
  )
})

test('a walk asks for no more than it needs', async () => {
  const { client, requests } = await aClient([listing(() => rows(1, 250))])
  assert.deepEqual(ids(await client.members.list().toArray({ atMost: 100 })), ids(rows(1, 100)))
  assert.deepEqual(await client.members.list().toArray({ atMost: 0 }), [])
  for await (const _ of client.members.list()) break
  assert.equal(requests.length, 2)
})

test('objects that come in while a list is walked make none come twice', async () => {
  let members = rows(11, 30)
  const { client, requests } = await aClient([
    (response, one) => {
      if (requests.length === 2) members = [...rows(1, 3), ...members]
      listing(() => members)(response, one)
    }
  ])
  const walked = await client.members.list({ limit: 10 }).toArray({ atMost: 100 })
  assert.deepEqual(ids(walked), ids(rows(11, 30)))
})

test('a list that shrinks under the walk ends, and an error in the middle ends it with that error', async () => {
  const empty = { data: [], meta: { total: 5, limit: 2, offset: 2, has_more: true } }
  const first = { data: rows(1, 2), meta: { total: 5, limit: 2, offset: 0, has_more: true } }
  const shrinking = await aClient([answering(200, first), answering(200, empty)])
  assert.equal((await shrinking.client.members.list({ limit: 2 }).toArray({ atMost: 100 })).length, 2)
  assert.equal(shrinking.requests.length, 2)

  const broken = await aClient([answering(200, first), saying(403, 'forbidden')])
  const walked: string[] = []
  await assert.rejects(async () => {
    for await (const { id } of broken.client.members.list({ limit: 2 })) walked.push(id)
  }, /It says forbidden/)
  assert.deepEqual(walked, ['mem_1', 'mem_2'])
})

/** A walk over a real server through one of the generic iterators. */
async function walk(
  reply: (requested: URLSearchParams) => unknown,
  over: (get: (query: string) => Promise<never>) => AsyncIterable<{ data: unknown[] }>
) {
  const { requests, url } = await aServer((response, one) =>
    answering(200, reply(new URL(one.url, 'http://x').searchParams))(response, one)
  )
  const get = async (query: string) => (await fetch(`${url}/list?${query}`)).json() as Promise<never>
  const walked: unknown[] = []
  for await (const row of rowsOf(over(get))) walked.push(row)
  return { walked, requests: requests.map(({ url }) => url.split('?')[1]) }
}
const slice = (length: number, from: number, size: number) =>
  Array.from({ length: Math.max(0, Math.min(size, length - from)) }, (_, i) => from + i + 1)

for (const [length, expected] of [
  [0, ['page=1']],
  [3, ['page=1', 'page=2']],
  [7, ['page=1', 'page=2', 'page=3']],
  [6, ['page=1', 'page=2', 'page=3']]
] as const) {
  test(`numbered pages of three over ${length} rows: they end at one that is not full`, async () => {
    const pageOf = (query: URLSearchParams) => {
      const page = Number(query.get('page'))
      return { data: slice(length, (page - 1) * 3, 3), meta: { current_page: page, per_page: 3 } }
    }
    const { walked, requests } = await walk(pageOf, (get) => pages.page((page) => get(`page=${page}`)))
    assert.deepEqual(walked, slice(length, 0, length))
    assert.deepEqual(requests, expected)
  })
}

for (const [length, expected] of [
  [0, ['since_id=0']],
  [2, ['since_id=0']],
  [3, ['since_id=0']],
  [7, ['since_id=0', 'since_id=3', 'since_id=6']]
] as const) {
  test(`a cursor over ${length} rows: it ends where the service says that no more follow`, async () => {
    const pageOf = (query: URLSearchParams) => {
      const since = Number(query.get('since_id'))
      const data = slice(length, since, 3)
      // Nothing more: the id of the request is returned again.
      return {
        data,
        meta: { per_page: 3, last_id: data.at(-1) ?? since, has_more: since + 3 < length, timezone: 'UTC' }
      }
    }
    const { walked, requests } = await walk(pageOf, (get) => pages.sinceId((since) => get(`since_id=${since}`)))
    assert.deepEqual(walked, slice(length, 0, length))
    assert.deepEqual(requests, expected)
  })
}

test('a cursor continues from where it was set, and past an empty page that moves it', async () => {
  const pageOf = (query: URLSearchParams) => {
    const since = Number(query.get('since_id'))
    return { data: since === 40 ? [] : [since], meta: { last_id: since + 10, has_more: since < 60 } }
  }
  const { walked } = await walk(pageOf, (get) => pages.sinceId((since) => get(`since_id=${since}`), { from: 30 }))
  assert.deepEqual(walked, [30, 50, 60])
})

test('a cursor that does not move and says that more follow is an error, and no endless loop', async () => {
  const pageOf = () => ({ data: [1], meta: { last_id: 7, has_more: true } })
  await assert.rejects(
    walk(pageOf, (get) => pages.sinceId((since) => get(`since_id=${since}`))),
    /does not get past the id 7/
  )
})

test('numbered pages and offsets can begin in the middle', async () => {
  const pageOf = (query: URLSearchParams) => ({
    data: slice(7, (Number(query.get('page')) - 1) * 3, 3),
    meta: { per_page: 3 }
  })
  const { walked } = await walk(pageOf, (get) => pages.page((page) => get(`page=${page}`), { from: 2 }))
  assert.deepEqual(walked, [4, 5, 6, 7])

  const byOffset = (query: URLSearchParams) => {
    const offset = Number(query.get('offset'))
    return { data: slice(7, offset, 3), meta: { has_more: offset + 3 < 7 } }
  }
  const rest = await walk(byOffset, (get) => pages.offset((offset) => get(`offset=${offset}`), { from: 2 }))
  assert.deepEqual(
    [rest.walked, rest.requests],
    [
      [3, 4, 5, 6, 7],
      ['offset=2', 'offset=5']
    ]
  )
})
