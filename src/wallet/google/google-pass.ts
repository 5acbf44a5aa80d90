import { createSign } from 'node:crypto'
import type { PassContent } from '../pass-content.ts'
import type { GoogleCredentials } from './check-google-credentials.ts'

const STATUS = { active: 'Active', paused: 'Paused', cancelled: 'Ended' } as const
/** Where a person adds the pass of a link. */
const SAVE_URL = 'https://pay.google.com/gp/v/save/'

/** The id of a pass at Google: the issuer's number and our serial. */
const googleObjectId = ({ issuerId }: Pick<GoogleCredentials, 'issuerId'>, serial: string) => `${issuerId}.${serial}`

const googleClassId = ({ issuerId }: Pick<GoogleCredentials, 'issuerId'>) => `${issuerId}.membership`

export type GoogleObject = ReturnType<typeof googleObject>

/** A generic pass as Google's API has it. */
export function googleObject(content: PassContent, serial: string, credentials: Pick<GoogleCredentials, 'issuerId'>) {
  const { campaign, credit, points, memberId, memberSince, nextBilling } = content
  const rows: [id: string, header: string, body: string | null][] = [
    ['status', 'Status', STATUS[content.status]],
    ['member_since', 'Member since', memberSince],
    ['next_billing', 'Next billing', nextBilling],
    ['credit', 'Store credit', credit && `${credit.amount} ${credit.currency}`],
    ['points', 'Points', points === null ? null : String(points)],
    ['campaign', campaign?.title ?? '', campaign?.message ?? null]
  ]
  return {
    id: googleObjectId(credentials, serial),
    classId: googleClassId(credentials),
    genericType: 'GENERIC_OTHER',
    state: content.isVoided ? 'INACTIVE' : 'ACTIVE',
    hexBackgroundColor: hexOf(content.colours.background),
    cardTitle: localized(content.organization),
    subheader: localized(content.name || 'Member'),
    header: localized(content.plan),
    ...(memberId && { barcode: { type: 'QR_CODE', value: memberId, alternateText: memberId } }),
    textModulesData: rows.flatMap(([id, header, body]) => (body === null ? [] : { id, header, body }))
  }
}

/**
 * The link by which a member adds the pass to Google Wallet: a JWT (RS256) of the service account. It only names the pass, which Google must
 * have before: browsers cut links off, for which Google allows a JWT of 1,800 characters.
 */
export function googleSaveLink(serial: string, credentials: GoogleCredentials, at: Temporal.Instant): string {
  return `${SAVE_URL}${signJwt(credentials, {
    iss: credentials.email,
    aud: 'google',
    typ: 'savetowallet',
    iat: Math.floor(at.epochMilliseconds / 1000),
    origins: [],
    payload: { genericObjects: [{ id: googleObjectId(credentials, serial), classId: googleClassId(credentials) }] }
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
