/** Why a request that we sent has no response. */
export type ConnectionFailure =
  | 'timeout'
  | 'address_refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'other'

const FAILURES: [pattern: RegExp, failure: ConnectionFailure][] = [
  [/^ADDRESS_REFUSED$/, 'address_refused'],
  [/TIMEOUT|ETIMEDOUT/, 'timeout'],
  [/^(ENOTFOUND|EAI_)/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'connect'],
  [/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/, 'tls'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'reset'],
  // undici's parser asserts where it does not expect what a server sends, such as status 000.
  [/^(HPE_|UND_ERR_|HTTPParserError|ERR_ASSERTION)/, 'protocol']
]
// What undici calls a failure of the socket, although the response is wrong: a 100 or 101 that was not requested.
const INVALID_RESPONSE = /^bad (response|upgrade)$/

/** What an error of undici means. */
export function connectionFailureOf(err: Error & { code?: string }): ConnectionFailure {
  if (INVALID_RESPONSE.test(err.message)) return 'protocol'
  const code = err.code ?? err.name
  return FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? 'other'
}
