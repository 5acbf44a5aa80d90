import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { OrNull, Timestamp } from '#resources'
import { type Campaign, countPasses, listWalletCredentials } from '#wallet'
import { text, timeOrNull } from '../fields.ts'
import { StoreParams } from '../store.ts'

const AppleBody = Type.Object(
  {
    pass_type_id: Type.String({ description: 'The identifier of the pass type' }),
    team_id: Type.String({ description: 'The team at Apple' }),
    expires_at: Timestamp('When the certificate ends (real time)'),
    updated_at: Timestamp('When it was set')
  },
  {
    title: 'AppleWallet',
    description: 'What signs passes for Apple Wallet. Its secrets are not shown.',
    examples: [
      {
        pass_type_id: 'pass.com.example.members',
        team_id: 'ABCDE12345',
        expires_at: '2027-11-20T00:00:00.000Z',
        updated_at: '2026-11-20T04:00:00.000Z'
      }
    ]
  }
)

const GoogleBody = Type.Object(
  {
    issuer_id: Type.String({ description: 'The number of the issuer' }),
    account: Type.String({ description: 'The service account' }),
    updated_at: Timestamp('When it was set')
  },
  {
    title: 'GoogleWallet',
    description: 'What signs links for Google Wallet. Its key is not shown.',
    examples: [
      {
        issuer_id: '3388000000012345678',
        account: 'wallet@example.iam.gserviceaccount.com',
        updated_at: '2026-11-20T04:00:00.000Z'
      }
    ]
  }
)

export const WalletBody = Type.Object(
  {
    apple: Type.Union([AppleBody, Type.Null()], { description: 'Null: no passes for Apple Wallet' }),
    google: Type.Union([GoogleBody, Type.Null()], { description: 'Null: no passes for Google Wallet' }),
    passes: Type.Integer({ description: 'How many passes were given out' }),
    devices: Type.Integer({ description: 'How many phones are notified by Apple' }),
    google_offered: Type.Integer({ description: 'For how many passes a link to Google Wallet was made' }),
    problems: Type.Integer({ description: 'Of how many passes the last change did not reach all phones' })
  },
  {
    title: 'Wallet',
    description: 'Wallet passes of the store.',
    examples: [{ apple: null, google: null, passes: 0, devices: 0, google_offered: 0, problems: 0 }]
  }
)

/** What is set in the store, and how many passes there are. */
export async function readWallet(ctx: Ctx): Promise<Static<typeof WalletBody>> {
  const set = await listWalletCredentials(ctx)
  const [apple, google] = (['apple', 'google'] as const).map((kind) => set.find((one) => one.kind === kind))
  const counts = await countPasses(ctx)
  return {
    apple: apple
      ? {
          pass_type_id: apple.identifier,
          team_id: apple.account,
          expires_at: isoOf(apple.expiresAt!),
          updated_at: isoOf(apple.updatedAt)
        }
      : null,
    google: google
      ? { issuer_id: google.identifier, account: google.account, updated_at: isoOf(google.updatedAt) }
      : null,
    passes: counts.passes,
    devices: counts.registrations,
    google_offered: counts.google,
    problems: counts.problems
  }
}

export const CampaignParams = Type.Object({
  ...StoreParams.properties,
  campaign: Type.String({ description: 'the id of a sale campaign', examples: ['wpc_7'] })
})

/** What an operator enters of a campaign. */
export const campaignFields = {
  title: text(255, 'a text of 1 to 255 characters', { meaning: 'Its title', examples: ['Black Friday'] }),
  text: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'a text of at most 1000 characters',
      meaning: 'What the pass says',
      examples: ['20% off everything until Monday']
    })
  ),
  image: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'a text of at most 1000 characters',
      meaning: 'Path of its picture, for the storefront',
      examples: ['/cdn/black-friday.png']
    })
  ),
  enabled: Type.Optional(
    Type.Boolean({ description: 'true or false', meaning: 'Whether it takes place; true at first', examples: [true] })
  ),
  starts_at: timeOrNull('When it begins, by the clock of the store; null: at once', '2026-11-27T08:00:00Z'),
  ends_at: timeOrNull('When it ends, by the clock of the store; null: never', '2026-11-30T08:00:00Z')
}

export const CampaignBody = Type.Object(
  {
    id: Type.String({ description: 'Its id' }),
    status: Type.Union([Type.Literal('active'), Type.Literal('inactive')], {
      description: 'active while it is enabled and within its dates'
    }),
    title: Type.String({ description: 'Its title' }),
    text: Type.String({ description: 'What the pass says' }),
    image: Type.String({ description: 'Path of its picture; empty for none' }),
    enabled: Type.Boolean({ description: 'Whether it takes place' }),
    starts_at: OrNull(Timestamp('When it begins; null: at once')),
    ends_at: OrNull(Timestamp('When it ends; null: never')),
    created_at: Timestamp('When it was added'),
    updated_at: Timestamp('When it was last changed')
  },
  {
    title: 'SaleCampaign',
    description: 'A sale that wallet passes show.',
    examples: [
      {
        id: 'wpc_7',
        status: 'inactive',
        title: 'Black Friday',
        text: '20% off everything until Monday',
        image: '/cdn/black-friday.png',
        enabled: true,
        starts_at: '2026-11-27T08:00:00.000Z',
        ends_at: '2026-11-30T08:00:00.000Z',
        created_at: '2026-11-20T04:00:00.000Z',
        updated_at: '2026-11-20T04:00:00.000Z'
      }
    ]
  }
)

export const presentCampaign = (one: Campaign): Static<typeof CampaignBody> => ({
  id: publicId('wpc', one.id),
  status: one.isActive ? 'active' : 'inactive',
  title: one.title,
  text: one.message,
  image: one.image,
  enabled: one.isEnabled,
  starts_at: isoOrNull(one.startsAt),
  ends_at: isoOrNull(one.endsAt),
  created_at: isoOf(one.createdAt),
  updated_at: isoOf(one.updatedAt)
})
