import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { characters, id, instant, isYes, needed, oneOf, optional, orWord, secret, text, yesOrNo } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const campaignFlag = needed('--campaign <wpc_…>', id('wpc', 'the id of a sale campaign'))
const campaignPath = (store: string, campaign = '') =>
  storePath(store, `/wallet/campaigns${campaign && `/${encodeURIComponent(campaign)}`}`)

const campaignFlags = {
  text: optional('--text <text>', characters(0, 1000)),
  image: optional('--image <path>', characters(0, 1000)),
  enabled: yesOrNo('--enabled <yes|no>'),
  starts: optional('--starts <instant>', orWord('none', instant)),
  ends: optional('--ends <instant>', orWord('none', instant))
}
const CAMPAIGN_FIELDS = { starts: 'starts_at', ends: 'ends_at' }

/** Membership cards for the wallets of phones. */
export function addWalletCommands(program: Command, terminal: Terminal): void {
  const wallet = program.command('wallet').description('membership cards for Apple Wallet and Google Wallet')

  addCommand(wallet, terminal, {
    name: 'show',
    summary: 'show which wallets are set up, and how many passes there are',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/wallet')),
    show: inFacts
  })

  addCommand(wallet, terminal, {
    name: 'set-apple',
    summary: 'set what signs passes for Apple Wallet; it is checked, and never shown again',
    flags: {
      store: storeFlag,
      certificate: needed('--certificate <pem>', secret('the certificate of the pass type, as PEM')),
      key: needed('--key <pem>', secret('its private key, as PEM')),
      passphrase: optional('--passphrase <text>', secret('the passphrase of an encrypted key')),
      wwdr: needed('--wwdr <pem>', secret("Apple's WWDR certificate that issued it, as PEM")),
      passType: optional(
        '--pass-type <id>',
        text('the identifier of the pass type (default: that of the certificate)')
      ),
      team: optional('--team <id>', text('the team at Apple (default: that of the certificate)'))
    },
    fields: { passType: 'pass_type_id', team: 'team_id' },
    run: ({ store, passType, team, ...given }, { api }) =>
      api().post(storePath(store, '/wallet/apple'), { ...given, pass_type_id: passType, team_id: team }),
    show: inFacts
  })

  addCommand(wallet, terminal, {
    name: 'set-google',
    summary: 'set what signs links for Google Wallet; it is checked, and never shown again',
    flags: {
      store: storeFlag,
      issuer: needed('--issuer <number>', text('the number of the issuer')),
      serviceAccount: needed('--service-account <json>', secret('the JSON file of the service account'))
    },
    fields: { issuer: 'issuer_id', serviceAccount: 'service_account' },
    run: ({ store, issuer, serviceAccount }, { api }) =>
      api().post(storePath(store, '/wallet/google'), { issuer_id: issuer, service_account: serviceAccount }),
    show: inFacts
  })

  addCommand(wallet, terminal, {
    name: 'remove',
    summary: 'remove what signs passes of a wallet: none is given out or updated any more',
    flags: { store: storeFlag, wallet: needed('--wallet <which>', oneOf('apple', 'google')) },
    run: ({ store, wallet: which }, { api }) => api().delete(storePath(store, `/wallet/${which}`)),
    show: inFacts
  })

  addCommand(wallet, terminal, {
    name: 'refresh',
    summary: 'bring all passes up to date, after a change of their name or colour',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().post(storePath(store, '/wallet/refresh'), {}),
    show: inFacts
  })

  addCampaignCommands(wallet, terminal)
}

function addCampaignCommands(wallet: Command, terminal: Terminal): void {
  addCommand(wallet, terminal, {
    name: 'campaigns',
    summary: 'list the sales that passes show',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(campaignPath(store)),
    show: table(['id', 'status', 'title', 'enabled', 'starts_at', 'ends_at'], 'The store has no sale campaigns yet.')
  })

  addCommand(wallet, terminal, {
    name: 'add-campaign',
    summary: 'add a sale that passes show',
    flags: { store: storeFlag, title: needed('--title <text>', characters(1, 255)), ...campaignFlags },
    fields: CAMPAIGN_FIELDS,
    run: ({ store, title, ...given }, { api }) => api().post(campaignPath(store), { title, ...campaignOf(given) }),
    show: facts
  })

  addCommand(wallet, terminal, {
    name: 'change-campaign',
    summary: 'change a sale; what is left out stays',
    flags: {
      store: storeFlag,
      campaign: campaignFlag,
      title: optional('--title <text>', characters(1, 255)),
      ...campaignFlags
    },
    fields: CAMPAIGN_FIELDS,
    run: ({ store, campaign, title, ...given }, { api }) =>
      api().patch(campaignPath(store, campaign), { title, ...campaignOf(given) }),
    show: facts
  })

  addCommand(wallet, terminal, {
    name: 'remove-campaign',
    summary: 'remove a sale',
    flags: { store: storeFlag, campaign: campaignFlag },
    run: ({ store, campaign }, { api }) => api().delete(campaignPath(store, campaign)),
    show: ({ id: removed }) => `${removed} is removed.\n`
  })
}

type GivenCampaign = {
  text: string | undefined
  image: string | undefined
  enabled: 'yes' | 'no' | undefined
  starts: string | undefined
  ends: string | undefined
}

const campaignOf = ({ text: says, image, enabled, starts, ends }: GivenCampaign) => ({
  text: says,
  image,
  enabled: isYes(enabled),
  starts_at: starts === 'none' ? null : starts,
  ends_at: ends === 'none' ? null : ends
})

/** The two wallets in one list with the counts. */
function inFacts({ apple, google, ...counts }: Document): string {
  const of = (name: string, one: unknown) =>
    one === null
      ? { [name]: 'not set up' }
      : Object.fromEntries(Object.entries(one as Document).map(([key, value]) => [`${name}_${key}`, value]))
  return facts({ ...of('apple', apple), ...of('google', google), ...counts })
}
