import type { Edit, Saboteur } from './saboteur.ts'

const BYTES = 'src/http/server/body-bytes.ts'
const INBOUND = 'src/http/inbound/inbound-webhooks.ts'

const without = (failsWith: string, ...edits: Edit[]): Saboteur => ({
  trial: 'body-flood',
  run: ['trials/run.ts', 'body-flood', '7', '--rounds', '1'],
  trialThen: { failsWith },
  edits
})

export const bodyFloodSaboteurs: Record<string, Saboteur> = {
  'bodies in flight have no bound': without('"rss_mib"', {
    file: BYTES,
    from: 'heldBy(share) + bytes <= maxBytes * share.part',
    to: 'heldBy(share) + bytes <= maxBytes * share.part * 1e6'
  }),
  'a body counts when it is announced, not as it arrives': without(
    "silent: the neighbour's message",
    {
      file: BYTES,
      from: 'request.heldBody = body\n',
      to: 'request.heldBody = body\n    take(body, length ?? 0)\n'
    },
    { file: BYTES, from: 'if (fits(shares, chunk.length)) {', to: 'if (fits(shares, 0)) {' },
    { file: BYTES, from: 'take(body, chunk.length)', to: 'take(body, 0)' }
  ),
  'what has been answered counts for ever': without("the neighbour's message", {
    file: BYTES,
    from: '      const left = heldBy(share) - body.bytes\n',
    to: '      const left = heldBy(share)\n'
  }),
  'one address may hold what its shop may': without("one address: the neighbour's message", {
    file: INBOUND,
    from: 'SHARE_OF_ADDRESS = 3 / 16',
    to: 'SHARE_OF_ADDRESS = 1'
  }),
  'one shop may hold what the endpoint may': without("one shop: the neighbour's message", {
    file: INBOUND,
    from: 'SHARE_OF_SHOP = 3 / 8',
    to: 'SHARE_OF_SHOP = 1'
  }),
  'the endpoint may hold everything': without('unended: a write of the API', {
    file: INBOUND,
    from: 'SHARE_OF_ALL = 3 / 4',
    to: 'SHARE_OF_ALL = 1'
  })
}
