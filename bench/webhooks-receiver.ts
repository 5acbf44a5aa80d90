// The receiver of bench/webhooks.ts, in a process of its own: answers 200 to everything, and prints its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.end())
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
