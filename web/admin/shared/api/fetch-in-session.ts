import { isEmbedded, sessionToken } from './embedding.ts'
import { ServiceUnreachable } from './errors.ts'
import { markDown, markUp } from './service-state.ts'
import { signedIn } from './session-gate.ts'

/**
 * Sends a request with the session of the browser. Without one it waits until somebody has signed in, and is sent again: the server has
 * refused it before doing anything. In the platform's admin nobody signs in.
 */
export async function fetchInSession(request: Request): Promise<Response> {
  const response = await send(request.clone())
  if (response.status !== 401 || isEmbedded) return response
  await signedIn()
  return fetchInSession(request)
}

/** A service that restarts refuses connections, or is answered for by what is in front of it. */
export async function send(request: Request): Promise<Response> {
  if (isEmbedded) request.headers.set('authorization', `Bearer ${await sessionToken()}`)
  let response: Response
  try {
    response = await fetch(request)
  } catch (err) {
    if (request.signal.aborted) throw err
    markDown()
    throw new ServiceUnreachable(err)
  }
  if ([502, 503, 504].includes(response.status)) {
    markDown()
    throw new ServiceUnreachable()
  }
  markUp()
  return response
}
