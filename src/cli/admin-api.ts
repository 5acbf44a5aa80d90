import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandError, ConnectionLost, FileRefused } from './command-error.ts'
import { notRunning, type Server } from './find-server.ts'
import { unavailableInCommands } from './unavailable-in-commands.ts'

/** A JSON object as the server sent it. */
export type Document = Record<string, unknown>

/** When to stop waiting for a response; without these limits a call waits for as long as it takes. */
export type CallLimits = {
  timeoutMs?: number
  signal?: AbortSignal
  /** The Idempotency-Key of the request. */
  key?: string
}

/** The admin API of a running service. Every method throws CommandError with the server's error code and message. */
export type AdminApi = {
  get(path: string): Promise<Document>
  post(path: string, body: object, limits?: CallLimits): Promise<Document>
  patch(path: string, body: object): Promise<Document>
  delete(path: string, limits?: CallLimits): Promise<Document>
  /** A POST whose response comes line by line; returns the `result` of the last line. */
  follow(path: string, body: object, onProgress: (progress: Document) => void): Promise<Document>
  /** A PUT of a file, which is streamed. */
  sendFile(path: string, file: Readable, type: string): Promise<Document>
  /** A GET that returns a file. */
  readFile(path: string): Promise<Readable>
}

/**
 * Uses plain node:http: it loads fast, and unlike fetch it has no time limit for a response. Advancing a clock by years
 * takes long.
 */
export function adminApi(server: Server): AdminApi {
  const call = async (method: string, path: string, body?: object, limits?: CallLimits) =>
    documentOf(await send(server, method, path, body, limits), server, { isRead: method === 'GET' })
  return {
    get: (path) => call('GET', path),
    post: (path, body, limits) => call('POST', path, body, limits),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path, limits) => call('DELETE', path, undefined, limits),
    async follow(path, body, onProgress) {
      const response = await send(server, 'POST', path, body)
      if (isRefusal(response)) return documentOf(response, server)
      let result: Document | null = null
      for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
        const message = parsed(line, server)
        if (message.error) throw errorIn(message, server, WRITE)
        if (message.progress) onProgress(message.progress as Document)
        if (message.result) result = message.result as Document
      }
      if (!result) throw brokeOff(server)
      return result
    },
    async sendFile(path, file, type) {
      const response = await exchange(server, 'PUT', path, { body: file, type })
      return documentOf(response, server).catch((err: CommandError) => {
        throw isRefusal(response) ? new FileRefused(err.code, err.message) : err
      })
    },
    async readFile(path) {
      const response = await send(server, 'GET', path)
      if (isRefusal(response)) await documentOf(response, server, { isRead: true })
      return response
    }
  }
}

function send(
  server: Server,
  method: string,
  path: string,
  body?: object,
  { timeoutMs, signal, key }: CallLimits = {}
): Promise<IncomingMessage> {
  const ends = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)].filter(
    (s) => s !== undefined
  )
  const payload = body && JSON.stringify(body)
  return exchange(server, method, path, { body: payload, type: 'application/json', ends, key })
}

function exchange(
  server: Server,
  method: string,
  path: string,
  { body, type, ends = [], key }: { body?: string | Readable; type: string; ends?: AbortSignal[]; key?: string }
): Promise<IncomingMessage> {
  const base = server.url.href.replace(/\/+$/, '')
  const url = new URL(`${base}/admin/api${path}`)
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? overHttps : overHttp)(url, {
      method,
      ...(ends.length > 0 && { signal: AbortSignal.any(ends) }),
      headers: {
        authorization: `Bearer ${server.token}`,
        accept: 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(body !== undefined && { 'content-type': type }),
        ...(typeof body === 'string' && { 'content-length': Buffer.byteLength(body) })
      }
    })
    request.on('response', resolve)
    request.on('error', (err: NodeJS.ErrnoException) => reject(unreachable(err, server)))
    if (!(body instanceof Readable)) return void request.end(body)
    // A file that cannot be read to its end must not look like a complete one.
    body.on('error', (err) => {
      request.destroy()
      reject(new CommandError('invalid_request', `The file cannot be read: ${err.message}`))
    })
    body.pipe(request)
  })
}

function unreachable(err: NodeJS.ErrnoException, server: Server): CommandError {
  if (err.code === 'ECONNREFUSED') return notRunning(server)
  if (err.code === 'ECONNRESET' || err.code === 'EPIPE') return brokeOff(server)
  if (err.name === 'AbortError') return new CommandError('unavailable', `${server.url.origin} did not respond in time`)
  return new CommandError('unavailable', `${server.url.origin} cannot be reached: ${err.message || err.code}`)
}

const brokeOff = (server: Server) =>
  new ConnectionLost(
    'unavailable',
    `${server.url.origin} closed the connection without a response; see the service's log`
  )

/** Whether a request that failed may have changed something. */
const WRITE = { isRead: false }

const isRefusal = (response: IncomingMessage) => (response.statusCode ?? 0) >= 400

async function documentOf(response: IncomingMessage, server: Server, how = WRITE): Promise<Document> {
  const body = await text(response).catch(() => {
    throw brokeOff(server)
  })
  const document = parsed(body, server)
  if (isRefusal(response)) throw errorIn(document, server, how)
  return document
}

function parsed(body: string, server: Server): Document {
  try {
    const document: unknown = JSON.parse(body)
    if (typeof document === 'object' && document !== null) return document as Document
  } catch {
    // Reported below, like a document of another kind.
  }
  throw notPerennial(server)
}

function errorIn(document: Document, server: Server, how: { isRead: boolean }): CommandError {
  const { code, message } = (document.error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code !== 'string' || typeof message !== 'string') return notPerennial(server)
  if (code === 'unavailable') return new CommandError(code, unavailableInCommands(message, how))
  if (code !== 'authentication_failed') return new CommandError(code, message)
  return new CommandError(
    code,
    `A valid operator token is needed: that of PERENNIAL_TOKEN, or else of operator.token in DATA_DIR, is not the one of ${server.url.origin}`
  )
}

const notPerennial = (server: Server) =>
  new CommandError('unavailable', `The server at ${server.url.origin} is not a Perennial service`)
