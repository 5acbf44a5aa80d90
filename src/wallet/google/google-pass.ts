import { createSign } from 'node:crypto'
import type { PassContent } from '../pass-content.ts'
import type { GoogleCredentials } from './check-google-credentials.ts'

const STATUS = { active: 'Active', paused: 'Paused', cancelled: 'Ended' } as const
/** Where a person adds the pass of a link. */
const SAVE_URL = 'https://pay.google.com/gp/v/save/'

/** The id of a pass at Google: the issuer's number and our serial. */
const googleObjectId = ({ issuerId }: Pick<GoogleCredentials, 'issuerId'>, serial: string) => `${issuerId}.${serial}`

/** A generic pass as Google's API has it. */
export function googleObject(content: PassContent, serial: string, credentials: Pick<GoogleCredentials, 'issuerId'>) {
  const { campaign, credit, points, nextBilling } = content
  const rows: [id: string, header: string, body: string][] = [
    ['status', 'Status', STATUS[content.status]],
    ['member_since', 'Member since', content.memberSince],
    ...(nextBilling ? [['next_billing', 'Next billing', nextBilling] as [string, string, string]] : []),
    ['credit', 'Store credit', `${credit.amount} ${credit.currency}`],
    ...(points === null ? [] : [['points', 'Points', String(points)] as [string, string, string]]),
    ...(campaign ? [['campaign', campaign.title, campaign.message] as [string, string, string]] : [])
  ]
  return {
    id: googleObjectId(credentials, serial),
    classId: `${credentials.issuerId}.membership`,
    genericType: 'GENERIC_OTHER',
    state: content.isVoided ? 'INACTIVE' : 'ACTIVE',
    hexBackgroundColor: hexOf(content.colours.background),
    cardTitle: localized(content.organization),
    subheader: localized(content.name || 'Member'),
    header: localized(content.plan),
    barcode: { type: 'QR_CODE', value: content.memberId, alternateText: content.memberId },
    textModulesData: rows.map(([id, header, body]) => ({ id, header, body }))
  }
}

/** The link by which a member adds the pass to Google Wallet: a JWT (RS256) of the service account with the whole pass. */
export function googleSaveLink(
  content: PassContent,
  serial: string,
  credentials: GoogleCredentials,
  at: Temporal.Instant
): string {
  const object = googleObject(content, serial, credentials)
  return `${SAVE_URL}${signJwt(credentials, {
    iss: credentials.email,
    aud: 'google',
    typ: 'savetowallet',
    iat: Math.floor(at.epochMilliseconds / 1000),
    origins: [],
    payload: { genericClasses: [{ id: object.classId }], genericObjects: [object] }
  })}`
}

/** A JWT that is signed with the key of the service account. */
export function signJwt({ key }: Pick<GoogleCredentials, 'key'>, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createSign('sha256').update(signed).sign(key).toString('base64url')}`
}

const localized = (value: string) => ({ defaultValue: { language: 'en', value } })

const hexOf = (colour: string) =>
  `#${colour
    .match(/\d+/g)!
    .map((one) => Number(one).toString(16).padStart(2, '0'))
    .join('')}`
