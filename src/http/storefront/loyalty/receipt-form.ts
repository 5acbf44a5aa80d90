import type { FastifyRequest } from 'fastify'
import { minorOf } from '#kit/money'
import { type FieldProblem, invalidBody, invalidFields, Refusal } from '#kit/refusal'
import { ACCEPTED_FILE, type ContentType, checkContent, MAX_FILE_BYTES, type ReceiptUpload } from '#loyalty'

export const RECEIPT_FORM = 'multipart/form-data'
/** The file, and the fields with what is around each. */
export const MAX_RECEIPT_FORM_BYTES = MAX_FILE_BYTES + 64 * 1024

const MAX_PARTS = 20
const MAX_PART_HEAD_BYTES = 2048
const MAX_AMOUNT_UNITS = 1_000_000_000

/** What a customer has entered about a receipt, checked. */
export type ReceiptForm = Omit<ReceiptUpload, 'customerId'>

/** The parts of a form, as the framework's parser of a body. */
export async function parseReceiptForm(request: FastifyRequest, body: Buffer): Promise<FormData> {
  const type = request.headers['content-type'] ?? ''
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(type)
  if (!boundary) throw invalidBody(`must be ${RECEIPT_FORM} with a boundary`)
  refuseManyParts(body, `--${boundary[1] ?? boundary[2]}`)
  try {
    return await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } }).formData()
  } catch {
    throw invalidBody(`must be ${RECEIPT_FORM} with all its parts, up to the last boundary`)
  }
}

/** A form of a hundred thousand parts, or of parts with endless headers, would keep the process busy for a second. */
function refuseManyParts(body: Buffer, boundary: string): void {
  let parts = 0
  for (let at = body.indexOf(boundary); at >= 0; at = body.indexOf(boundary, at + boundary.length)) {
    const afterIt = at + boundary.length
    if (body.toString('latin1', afterIt, afterIt + 2) === '--') continue
    if (++parts > MAX_PARTS) throw invalidBody(`has more than ${MAX_PARTS} parts`)
    if (!body.subarray(afterIt, afterIt + MAX_PART_HEAD_BYTES).includes('\r\n\r\n')) {
      throw invalidBody(`has a part with more than ${MAX_PART_HEAD_BYTES} bytes of headers, or one that breaks off`)
    }
  }
}

/** The fields of the form, with everything that is wrong. Fields that are none of these are ignored: a theme may add some. */
export async function readReceiptForm(body: unknown, currency: string): Promise<ReceiptForm> {
  const form = body instanceof FormData ? body : new FormData()
  const problems: FieldProblem[] = []
  const wrong = (field: string, message: string, code: FieldProblem['code'] = 'invalid') => {
    problems.push({ field, code, message })
    return undefined
  }
  /** The value of a field that `read` accepts. */
  const value = <T>(field: string, accepts: string, read: (given: string) => T | undefined): T | undefined => {
    const [given, ...more] = form.getAll(field)
    if (more.length > 0) return wrong(field, 'is given more than once')
    if (given instanceof File) return wrong(field, `must be ${accepts}, not a file`)
    if (given === undefined || given === '') return wrong(field, `is required and must be ${accepts}`, 'required')
    return read(given) ?? wrong(field, `must be ${accepts}`)
  }
  const ruleId = value('rule_id', 'the id of a loyalty rule', (given) =>
    /^[1-9]\d{0,14}$/.test(given) ? Number(given) : undefined
  )
  const retailer = value('retailer', 'a text of 1 to 255 characters in one line that is not blank', lineOf(255))
  const purchasedOn = value('purchased_on', 'a day such as 2026-11-27', dayOf)
  const amountMinor = value(
    'amount',
    `an amount above 0 to ${MAX_AMOUNT_UNITS} in ${currency}, such as ${currency === 'JPY' ? '2900' : '29.00'}`,
    (given) => amountOf(given, currency)
  )
  const hasNumber = form.getAll('receipt_number').some((given) => given !== '')
  const number = hasNumber ? value('receipt_number', 'a text of at most 100 characters in one line', lineOf(100)) : null
  const [file, ...more] = form.getAll('file')
  let contentType: ContentType | undefined
  let bytes = Buffer.alloc(0)
  if (more.length > 0) wrong('file', 'is given more than once: send a receipt for each')
  else if (file === undefined || file === '') wrong('file', `is required and must be ${ACCEPTED_FILE}`, 'required')
  else if (!(file instanceof File)) wrong('file', `must be ${ACCEPTED_FILE}, as a file`)
  else {
    bytes = Buffer.from(await file.arrayBuffer())
    const checked = checkContent(bytes)
    if ('type' in checked) contentType = checked.type
    else wrong('file', checked.problem)
  }
  for (const [field, given] of form) {
    if (given instanceof File && !['file', ...problems.map((one) => one.field)].includes(field)) {
      wrong(field.slice(0, 100), 'must not be a file: only file is one')
    }
  }
  if (problems.length > 0) throw invalidFields(problems.slice(0, 10))
  return {
    ruleId: ruleId!,
    retailer: retailer!,
    purchasedOn: purchasedOn!,
    number: number!,
    amountMinor: amountMinor!,
    bytes,
    contentType: contentType!
  }
}

/** A text without control characters; spaces around it are not part of it. */
const lineOf = (maxLength: number) => (given: string) => {
  const line = given.trim()
  return line.length > 0 && line.length <= maxLength && !/\p{Cc}/u.test(line) ? line : undefined
}

function dayOf(given: string): Temporal.PlainDate | undefined {
  if (!/^2\d{3}-\d{2}-\d{2}$/.test(given)) return undefined
  try {
    return Temporal.PlainDate.from(given)
  } catch {
    return undefined
  }
}

function amountOf(given: string, currency: string): number | undefined {
  try {
    const minor = minorOf(given, currency)
    return minor > 0 && minor <= minorOf(MAX_AMOUNT_UNITS, currency) ? minor : undefined
  } catch (err) {
    if (err instanceof Refusal) return undefined
    throw err
  }
}
