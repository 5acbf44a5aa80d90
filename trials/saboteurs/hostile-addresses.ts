import type { Edit, Saboteur } from './saboteur.ts'

const ADDRESSES = 'src/kit/addresses.ts'
const DOWNLOAD = 'src/platform/wire/download-lines.ts'

const without = (failsWith: string, ...edits: Edit[]): Saboteur => ({
  trial: 'hostile-addresses',
  run: ['trials/run.ts', 'hostile-addresses', '7'],
  trialThen: { failsWith },
  edits
})

export const hostileAddressesSaboteurs: Record<string, Saboteur> = {
  'an address that is written in a URL is connected to': without('a delivery has reached a private address', {
    file: ADDRESSES,
    from: 'if (isIP(target.hostname) && !(secure',
    to: 'if (isIP(target.hostname) === 9 && !(secure'
  }),
  'what a name resolves to is not checked when it is connected to': without(
    'a delivery has reached a private address',
    {
      file: ADDRESSES,
      from: 'const denied = addresses.find(({ address }) => !allowed(address))\n      if',
      to: "const denied = addresses.find(({ address }) => !allowed(address) && address === '')\n      if"
    }
  ),
  'of several addresses of a name only the first is checked': without('a delivery has reached a private address', {
    file: ADDRESSES,
    from: 'const denied = addresses.find(({ address }) => !allowed(address))\n      if',
    to: 'const denied = addresses.slice(0, 1).find(({ address }) => !allowed(address))\n      if'
  }),
  'a URL with a private address is accepted': without('rest POST https://127.0.0.1', {
    file: ADDRESSES,
    from: 'if (isIP(host) ? !isAllowedAddress(host, rules) :',
    to: 'if (isIP(host) ? false :'
  }),
  "a file of the platform's is read from anywhere": without('Missing expected rejection (DownloadFailed)', {
    file: DOWNLOAD,
    from: 'isOnPlatform ? toPlatform : toTheWeb',
    to: 'isOnPlatform ? toPlatform : toPlatform'
  }),
  "a redirect of the platform's file is followed": without(
    'Missing expected rejection',
    {
      file: DOWNLOAD,
      from: "import { Agent, request } from 'undici'",
      to: "import { Agent, interceptors, request } from 'undici'"
    },
    {
      file: DOWNLOAD,
      from: 'dispatcher: isOnPlatform ? toPlatform : toTheWeb',
      to: 'dispatcher: (isOnPlatform ? toPlatform : toTheWeb).compose(interceptors.redirect({ maxRedirections: 3 }))'
    }
  )
}
