import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Has a server listen on a free port of loopback. `close` ends its connections too. */
export async function listenHere(server: Server) {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): void {
      server.closeAllConnections()
      server.close()
    }
  }
}
