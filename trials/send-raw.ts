import http from 'node:http'

export type RawRequest = {
  method: string
  target: string
  headers: Record<string, string>
  body: Buffer | string | null
}
export type RawResponse = { status: number; headers: http.IncomingHttpHeaders; text: string }

/** Sends a request whose path, query, headers and body go over the socket as they are given, valid or not. */
export function sendRaw(agent: http.Agent, port: number, { method, target, headers, body }: RawRequest) {
  return new Promise<RawResponse>((resolve, reject) => {
    const request = http.request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method,
        path: target,
        headers: { ...headers, ...(body !== null && { 'content-length': Buffer.byteLength(body) }) }
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(chunks).toString() })
        )
        response.on('error', reject)
      }
    )
    request.on('error', reject)
    request.end(body ?? undefined)
  })
}
