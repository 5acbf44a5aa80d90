// A process of its own for the receivers of `bad-receivers`: what they do must not delay who measures. Its argument has the names
// of the kinds.
import { aRawReceiver } from './raw-receiver.ts'
import { NO_CONTENT, type ReceiverCounts, receiverKinds } from './receiver-kinds.ts'

const names = JSON.parse(process.argv[2]!) as string[]
const canary = await aRawReceiver('trusted', (socket) => socket.write(NO_CONTENT))
const kinds = receiverKinds(canary.url).filter(({ name }) => names.includes(name))
const receivers = await Promise.all(kinds.map((kind) => aRawReceiver(kind.tls, kind.act)))

process.on('disconnect', () => process.exit())
process.on('message', () => {
  const counts: ReceiverCounts = {
    canaryConnections: canary.connections(),
    receivers: receivers.map(({ requests, maxBytes }) => ({ requests: requests(), maxBytes: maxBytes() }))
  }
  process.send!(counts)
})
process.send!({ canaryUrl: canary.url, urls: receivers.map(({ url }) => url) })
