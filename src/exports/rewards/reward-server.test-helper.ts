import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

/** What was asked of the service, without the parameters that the URL has anyway. */
export type Asked = { path: string; cursor: string | null; limit: string | null; authorization: string | undefined }

/** A real service of reward points on this machine, which keeps what it was asked; closed when the test file is done. */
export async function aRewardServer(answer: (asked: Asked, response: ServerResponse) => void) {
  const asked: Asked[] = []
  let closed = 0
  const service = { answer }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://server')
    const one = {
      path: pathname,
      cursor: searchParams.get('cursor'),
      limit: searchParams.get('limit'),
      authorization: request.headers.authorization
    }
    asked.push(one)
    response.on('close', () => {
      if (!response.writableFinished) closed++
    })
    service.answer(one, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/balances`,
    port,
    asked,
    cursors: () => asked.map(({ cursor }) => cursor),
    /** How many answers were cut off by us. */
    cutOff: () => closed,
    /** Has it answer otherwise from now on. */
    become: (other: typeof answer) => void (service.answer = other)
  }
}

export const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

type Balance = { customer_id?: unknown; email?: unknown; points: unknown }

/** Answers with these pages, whose cursors are p1, p2 and so on. */
export const pages =
  (...all: Balance[][]) =>
  ({ cursor }: Asked, response: ServerResponse) => {
    const at = cursor === null ? 0 : Number(cursor.slice(1))
    json(response, { balances: all[at], next_cursor: at + 1 < all.length ? `p${at + 1}` : null })
  }
