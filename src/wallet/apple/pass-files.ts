import { crc32, deflateSync } from 'node:zlib'
import type { PassContent } from '../pass-content.ts'
import type { AppleCredentials } from './check-apple-credentials.ts'

/** What a pass says of itself beside its content. `webServiceUrl`: where phones ask for its changes. */
export type PassIdentity = { serial: string; token: string; webServiceUrl: string }

const STATUS = { active: 'Active', paused: 'Paused', cancelled: 'Ended' } as const

/** The files of a pass for Apple Wallet, before they are signed. */
export function passFiles(
  content: PassContent,
  { serial, token, webServiceUrl }: PassIdentity,
  { passTypeId, teamId }: Pick<AppleCredentials, 'passTypeId' | 'teamId'>
): Record<string, Uint8Array> {
  const { colours, campaign, credit, points, memberId, memberSince, nextBilling } = content
  const pass = {
    formatVersion: 1,
    passTypeIdentifier: passTypeId,
    teamIdentifier: teamId,
    serialNumber: serial,
    organizationName: content.organization,
    description: `${content.plan} card`,
    logoText: content.organization,
    backgroundColor: colours.background,
    foregroundColor: colours.text,
    labelColor: colours.text,
    voided: content.isVoided,
    webServiceURL: webServiceUrl,
    authenticationToken: token,
    ...(memberId && {
      barcodes: [{ format: 'PKBarcodeFormatQR', message: memberId, messageEncoding: 'iso-8859-1', altText: memberId }]
    }),
    storeCard: {
      headerFields: [
        { key: 'status', label: 'Status', value: STATUS[content.status], changeMessage: 'Your membership: %@' }
      ],
      primaryFields: [{ key: 'plan', label: content.name || 'Member', value: content.plan }],
      secondaryFields: [
        ...(memberSince ? [dateField('member_since', 'Member since', memberSince)] : []),
        ...(nextBilling ? [dateField('next_billing', 'Next billing', nextBilling)] : [])
      ],
      auxiliaryFields: [
        ...(credit
          ? [{ key: 'credit', label: 'Store credit', value: credit.amount, currencyCode: credit.currency }]
          : []),
        ...(points === null ? [] : [{ key: 'points', label: 'Points', value: points }])
      ],
      backFields: campaign
        ? [{ key: 'campaign', label: campaign.title, value: campaign.message || campaign.title, changeMessage: '%@' }]
        : []
    }
  }
  return {
    'pass.json': Buffer.from(JSON.stringify(pass)),
    'icon.png': square(29, colours.background),
    'icon@2x.png': square(58, colours.background),
    'icon@3x.png': square(87, colours.background)
  }
}

const dateField = (key: string, label: string, on: string) => ({
  key,
  label,
  value: `${on}T00:00:00Z`,
  dateStyle: 'PKDateStyleMedium',
  timeStyle: 'PKDateStyleNone',
  ignoresTimeZone: true
})

/** A PNG of one colour: Apple refuses a pass without an icon. */
function square(size: number, colour: string): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits of red, green and blue.
  header.set([8, 2], 8)
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(size * 3, Buffer.from(colour.match(/\d+/g)!.map(Number)))])
  const lines = Buffer.concat(Array.from({ length: size }, () => line))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0))
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
